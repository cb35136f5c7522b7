"""Generate the facts shared by C, Python and Java from wire.toml; with --check, fail if a file has drifted."""

from __future__ import annotations

import re
import sys
import tomllib
import uuid
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PUBLIC_ENUMS = "Type", "Encoding", "CompressionCodec", "PageType"
PUBLIC = (
    "PRESENT_",
    "READING_",
    "BOUND_",
    "PM_CHUNK_",
    "PM_FEATURE_",
    "PM_FOOTER_FEATURE_",
    "PM_COLUMN_FLAG_",
    "PM_STAT_",
)
PACKED_SECTIONS = {
    "packed_constants": "PACKED_",
    "packed_cells": "CELLS_",
    "packed_steps": "STEP_",
    "packed_roles": "ROLE_",
    "packed_predictors": "PREDICTOR_",
    "packed_tables": "TABLE_",
    "packed_words": "WORDS_",
    "packed_templates": "TEMPLATES_",
}
JAVA_SECTIONS = {
    "compact_types": "TYPE_",
    "flat_constants": "FLAT_",
    "flat_kinds": "KIND_",
    "block_constants": "BLOCK_",
    "index_constants": "INDEX_",
    "reference_constants": "REFERENCE_",
} | PACKED_SECTIONS
JAVA_ENUMS = "Type", "Encoding", "PageType", "ConvertedType", "LogicalType"
JAVA_STRUCTS = (
    "FileMetaData", "SchemaElement", "RowGroup", "ColumnChunk", "ColumnMetaData", "Statistics", "KeyValue",
    "PageEncodingStats", "ColumnIndex", "OffsetIndex", "PageLocation",
)  # fmt: skip
JAVA_TABLES = "RowGroup", "ColumnChunk", "OwnChunk", "ColumnMetadata", "BloomFilterInfo", "Statistics", "KeyValue"
PLACED = "METADATA", "NUM_VALUES", "TOTAL_UNCOMPRESSED_SIZE", "TOTAL_COMPRESSED_SIZE", "DATA_PAGE_OFFSET"
PYTHON_ERRORS = """# code: (class of the error, message)
ERRORS: dict[int, tuple[str, str]] = {}


def _error(code: int, kind: str, message: str) -> int:
    ERRORS[code] = kind, message
    return code

"""
NOTICE = "Generated from csrc/tables/wire.toml by csrc/tables/generate.py. Do not edit."


def upper_snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).upper()


def constants(table: dict) -> list[tuple[str, int]]:
    """All plain integers of the table, as (name, value) in a stable order."""
    found = []
    for section, prefix in (
        ("compact_types", "TYPE_"),
        ("flat_constants", "FLAT_"),
        ("flat_logical", "FLAT_LOGICAL_"),
        ("flat_kinds", "KIND_"),
        ("flat_ops", "OP_"),
        ("block_constants", "BLOCK_"),
        ("index_constants", "INDEX_"),
        ("reference_constants", "REFERENCE_"),
        ("page_index", "PAGE_INDEX_"),
        ("boundary_orders", "BOUNDARY_"),
        ("parx_constants", "PARX_"),
        *PACKED_SECTIONS.items(),
        ("limits", ""),
        ("extension_encodings", "ENCODING_"),
        ("readings", "READING_"),
        ("bounds", "BOUND_"),
        ("pm", "PM_"),
        ("pm_header", "PM_HEADER_"),
        ("pm_column", "PM_COLUMN_"),
        ("pm_chunk", "PM_CHUNK_"),
        ("pm_footer", "PM_FOOTER_"),
        ("pm_origin", "PM_ORIGIN_"),
        ("pm_slices", "PM_SLICES_"),
        ("pm_sums", "PM_SUMS_"),
    ):
        found += [(prefix + name, value) for name, value in table[section].items()]
    for section in ("pm_feature", "pm_footer_feature", "pm_column_flag", "pm_stat"):
        found += [(f"{section.upper()}_{name}", 1 << bit) for name, bit in table[section].items()]
    for enum in table["enums"]:
        found += enum_constants(table, enum)
    found += [("PRESENT_" + name, 1 << bit) for name, bit in table["present"].items()]
    for struct, fields in table["thrift"].items():
        found += [(f"{upper_snake(struct)}_{upper_snake(name)}", field) for name, field in fields.items()]
    return found


def enum_constants(table: dict, enum: str) -> list[tuple[str, int]]:
    """An enum's values, as (name, value) in the table's order."""
    prefix = table["enums"][enum]["prefix"] + "_"
    members = {name: value for name, value in table["enums"][enum].items() if name != "prefix"}
    return [(prefix + name, value) for name, value in members.items()]


def c_number(value: int) -> str:
    return f"UINT64_C({value:#x})" if value >> 32 else f"{value:#x}u" if value >= 1 << 16 else str(value)


def rules(table: dict) -> list[tuple[str, dict[int, tuple]]]:
    """For each struct its rules by field id: (name, type, type of the items, number of the inner struct, required)."""
    types = table["compact_types"] | {"BOOL": table["compact_types"]["TRUE"]}
    numbers = {name: number for number, name in enumerate(table["rules"])}

    def rule(field: str, text: str) -> tuple:
        outer, _, inner = text.removeprefix("?").partition(" ")
        item = types["STRUCT"] if inner in numbers and outer == "LIST" else types.get(inner, 0)
        return field, types[outer], item, numbers.get(inner, 0), not text.startswith("?")

    return [
        (name, {id: rule(field, text) for field, (id, text) in fields.items()})
        for name, fields in table["rules"].items()
    ]


def c_rules(table: dict) -> list[str]:
    found = rules(table)
    most = max(id for _, fields in found for id in fields)
    lines = [
        "",
        "/* Fields that readers require, by struct and field id: its type (0: no rule), that of a list's items, the",
        " * struct inside (0: none), 1 if it is required. Struct 0 is the footer. */",
        f"enum {{ PQX_RULED_STRUCTS = {len(found)}, PQX_RULED_FIELDS = {most + 1} }};",
        "typedef struct pqx_rule { uint8_t type, item, inner, required; } pqx_rule;",
    ]
    lines += [f"#define PQX_RULES_OF_{upper_snake(name)} {number}" for number, (name, _) in enumerate(found)]
    lines.append("#define PQX_RULES { \\")
    for name, fields in found:
        cells = ["{0, 0, 0, 0}"] * (max(fields) + 1)
        for id, (_, type, item, inner, required) in fields.items():
            cells[id] = f"{{{type}, {item}, {inner}, {required:d}}}"
        lines.append(f"    {{{', '.join(cells)}}}, /* {name} */ \\")
    return [*lines, "}"]


def python_rules(table: dict) -> list[str]:
    lines = [
        "",
        "# Fields that readers require, by struct: its name, and by field id (name, type, type of a list's items,",
        "# number of the struct inside (0: none), True if it is required). The first struct is the footer.",
        "RULES = [",
    ]
    for name, fields in rules(table):
        body = ", ".join(
            f'{id}: ("{field}", {type}, {item}, {inner}, {required})'
            for id, (field, type, item, inner, required) in fields.items()
        )
        lines.append(f'    ("{name}", {{{body}}}),')
    return [*lines, "]"]


def c_widths(table: dict) -> list[str]:
    widths = {table["enums"]["Type"][name]: width for name, width in table["width_of_type"].items()}
    body = ", ".join(str(widths[number]) for number in range(len(widths)))
    return ["", "/* Bytes of one value by its physical type. */", f"#define PQX_WIDTHS_OF_TYPE {{{body}}}"]


def python_widths(table: dict) -> list[str]:
    """Of all types that have a width, and without BOOLEAN, of which pages have bits."""
    widths = [(f"PHYSICAL_{name}", width) for name, width in table["width_of_type"].items()]
    packed = [(name, width) for name, width in widths if name != "PHYSICAL_BOOLEAN"]
    return [
        "",
        "# Bytes of one value by its physical type; within pages a BOOLEAN is a bit.",
        *(
            f"{title} = {{{', '.join(f'{name}: {width}' for name, width in pairs)}}}"
            for title, pairs in (("WIDTH_OF_TYPE", widths), ("WIDTH_IN_PAGES", packed))
        ),
    ]


def c_wire(table: dict) -> str:
    lines = [f"/* {NOTICE} */", "#ifndef PQX_WIRE_H", "#define PQX_WIRE_H", "", "#include <stdint.h>", ""]
    lines += [f"#define PQX_{name} {c_number(value)}" for name, value in constants(table) if not is_public(table, name)]
    lines.append("")
    for name, text in table["uuids"].items():
        octets = ", ".join(f"0x{octet:02x}" for octet in uuid.UUID(text).bytes)
        lines.append(f"#define PQX_UUID_{name} {{{octets}}}")
    lines += [
        "",
        "/* A flat table's fields: slot and bytes, in slot order. */",
        "typedef struct pqx_flat_field { uint8_t slot, bytes; } pqx_flat_field;",
        "",
        "enum pqx_flat_table {",
    ]
    lines += [f"    PQX_FLAT_{upper_snake(name)}," for name in table["flat"]]
    lines += ["    PQX_FLAT_TABLES", "};", "", "/* Bits of a flat table's presence mask. */"]
    for name, fields in table["flat"].items():
        lines += [f"#define PQX_{upper_snake(name)}__{field.upper()} {index}" for index, field in enumerate(fields)]
    most = max(len(fields) for fields in table["flat"].values())
    lines += [
        "",
        f"#define PQX_FLAT_MAX_FIELDS {most}",
        "typedef struct pqx_flat_layout { uint8_t count; pqx_flat_field fields[PQX_FLAT_MAX_FIELDS]; }"
        " pqx_flat_layout;",
        "",
        "#define PQX_FLAT_LAYOUTS { \\",
    ]
    for fields in table["flat"].values():
        body = ", ".join(f"{{{slot}, {size}}}" for slot, size in fields.values()) or "{0, 0}"
        lines.append(f"    {{{len(fields)}, {{{body}}}}}, \\")
    lines += ["}", *c_widths(table), *c_rules(table), "", "#define PQX_ERROR_MESSAGES \\"]
    lines += [f'    case PQX_{name}: return "{message}"; \\' for name, (_, _, message) in table["errors"].items()]
    lines += ["", "#endif", ""]
    return "\n".join(lines)


def is_public(table: dict, name: str) -> bool:
    """Return True if the public header has this constant: a part of its functions' arguments or results."""
    return name.startswith(PUBLIC) or any(name in dict(enum_constants(table, enum)) for enum in PUBLIC_ENUMS)


def c_header(table: dict, header: str) -> str:
    """The header with its lists of error codes and constants renewed."""
    codes = "\n".join(f"    PQX_{name} = {code}," for name, (code, _, _) in table["errors"].items())
    bits = "\n".join(f"#define PQX_PRESENT_{name} {1 << bit:#x}u" for name, bit in table["present"].items())
    sidecar = "\n".join(
        f"#define PQX_{name} {value}"
        for name, value in constants(table)
        if name.startswith("PM_") and is_public(table, name)
    )
    readings = "\n".join(f"#define PQX_READING_{name} {value:#x}u" for name, value in table["readings"].items())
    bounds = "\n".join(f"#define PQX_BOUND_{name} {value:#x}u" for name, value in table["bounds"].items())
    enums = "\n\n".join(
        "\n".join(f"#define PQX_{name} {value}" for name, value in enum_constants(table, enum)) for enum in PUBLIC_ENUMS
    )
    for title, lines in (
        ("error codes", codes),
        ("enums", enums),
        ("presence bits", bits),
        ("sidecar constants", sidecar),
        ("readings", readings),
        ("bounds", bounds),
    ):
        header = re.sub(
            rf"( *)/\* generated: {title} \*/\n.*?( */\* end of generated \*/)",
            lambda match, title=title, lines=lines: f"{match[1]}/* generated: {title} */\n{lines}\n{match[2]}",
            header,
            flags=re.S,
        )
    return header


def python_wire(table: dict) -> str:
    lines = [
        f'"""Numbers of the wire formats, shared with the C library.\n\n{NOTICE}\n"""',
        "",
        "from uuid import UUID",
        "",
    ]
    lines += [f"{name} = {value:#x}" if value >= 1 << 16 else f"{name} = {value}" for name, value in constants(table)]
    lines.append("")
    lines += [f'UUID_{name} = UUID("{text}")' for name, text in table["uuids"].items()]
    lines += ["", "# Presence bits of the sizes and offsets without which the pages of a chunk cannot be found."]
    lines += [f"PRESENT_PLACED = {sum(1 << table['present'][name] for name in PLACED)}"]
    lines += ["", PYTHON_ERRORS]
    lines += [
        f'{name} = _error({code}, "{kind}", "{message}")' for name, (code, kind, message) in table["errors"].items()
    ]
    lines += ["", "# Parquet's enums and unions: their members' names by number."]
    for enum in table["enums"]:
        size = len(table["enums"][enum]["prefix"]) + 1
        body = ", ".join(f'{value}: "{name[size:]}"' for name, value in enum_constants(table, enum))
        lines.append(f"NAMES_OF_{upper_snake(enum)} = {{{body}}}")
    lines += python_widths(table)
    lines += ["", "# A flat table's fields: name: (slot, bytes), in slot order.", "FLAT_TABLES = {"]
    for name, fields in table["flat"].items():
        body = ", ".join(f'"{field}": ({slot}, {size})' for field, (slot, size) in fields.items())
        lines.append(f'    "{name}": {{{body}}},')
    lines += ["}", *python_rules(table), ""]
    return "\n".join(lines)


def java_wire(table: dict) -> str:
    """Generate the constants of the Java reader: numbers of the forms, Thrift field ids, slots of flat tables."""
    numbers = [
        (prefix + name, value) for section, prefix in JAVA_SECTIONS.items() for name, value in table[section].items()
    ]
    numbers += [pair for enum in JAVA_ENUMS for pair in enum_constants(table, enum)]
    numbers.append(("MAX_DEPTH", table["limits"]["MAX_DEPTH"]))
    for struct in JAVA_STRUCTS:
        fields = table["thrift"][struct].items()
        numbers += [(f"THRIFT_{upper_snake(struct)}_{upper_snake(name)}", field) for name, field in fields]
    for name in JAVA_TABLES:
        numbers += [
            (f"SLOT_{upper_snake(name)}_{field.upper()}", slot) for field, (slot, _) in table["flat"][name].items()
        ]
    lines = [
        "package dev.parquetext.footer;",
        "",
        "/**",
        " * Numbers of the wire formats, shared with the C library and Python.",
        " *",
        f" * <p>{NOTICE}",
        " */",
        "final class Wire {",
        "    private Wire() {}",
        "",
        *(
            f"    static final int {name} = {value:#x};" if value >> 16 else f"    static final int {name} = {value};"
            for name, value in numbers
        ),
        "",
        *(f'    static final String UUID_{name} = "{uuid.UUID(text).hex}";' for name, text in table["uuids"].items()),
        "}",
        "",
    ]
    return "\n".join(lines)


def main() -> int:
    table = tomllib.loads((ROOT / "csrc/tables/wire.toml").read_text())
    headers = [ROOT / "csrc/include" / name for name in ("parquetext.h", "parquetext_internal.h")]
    files = {
        ROOT / "csrc/src/base/wire.h": c_wire(table),
        ROOT / "parquetext/wire.py": python_wire(table),
        **{header: c_header(table, header.read_text()) for header in headers},
        ROOT / "jvm/src/dev/parquetext/footer/Wire.java": java_wire(table),
    }
    drifted = [path for path, text in files.items() if not path.exists() or path.read_text() != text]
    if "--check" in sys.argv:
        for path in drifted:
            print(f"{path.relative_to(ROOT)} differs from the result of wire.toml", file=sys.stderr)
        return 1 if drifted else 0
    for path in drifted:
        path.write_text(files[path])
    return 0


if __name__ == "__main__":
    sys.exit(main())
