"""Wide relations are hidden from rules that cannot have an effect on them; plans are those of stock Spark."""

from __future__ import annotations

import pytest
from py4j.java_gateway import JavaClass, JavaObject
from pyspark.sql import DataFrame
from support.wide_plans import (
    HIDDEN,
    check_compared_plans,
    compared_plans,
    explained,
    hidden_relations,
    make_wide_files,
    views,
)

pytestmark = pytest.mark.usefixtures("needed_scan_jar")

SUM = HIDDEN["one column"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> str:
    folder = tmp_path_factory.mktemp("wide")
    make_wide_files(folder)
    return str(folder)


@pytest.fixture
def spark(spark, folder):
    """A session of the test alone, with the views."""
    session = spark.newSession()
    views(session, folder)
    return session


def relations(frame: DataFrame) -> list[str]:
    """Return the classes of the relations in its optimized plan."""
    leaves = frame._jdf.queryExecution().optimizedPlan().collectLeaves()
    return [leaves.apply(number).relation().getClass().getSimpleName() for number in range(leaves.size())]


def optimizations(spark) -> tuple[JavaObject, list[str]]:
    methods = spark._jsparkSession.experimental()
    rules = methods.extraOptimizations()
    return methods, [rules.apply(number).getClass().getName() for number in range(rules.size())]


@pytest.mark.slow
def test_plans_are_those_of_stock_spark_by_cost_and_without_adaptive_execution(spark, folder):
    for name, value in {
        "adaptive.enabled": "false",
        "cbo.enabled": "true",
        "autoBroadcastJoinThreshold": "300",
    }.items():
        spark.conf.set(f"spark.sql.{name}", value)
    check_compared_plans(compared_plans(spark, folder))


def test_the_optimized_plan_has_the_original_relation(spark):
    frame = spark.sql(HIDDEN["join"])
    assert hidden_relations(spark, HIDDEN["join"])
    assert relations(frame) == ["HadoopFsRelation"] * 2
    assert [name.rsplit("/", 1)[1] for name in frame.inputFiles()] == ["0.parquet"]


def test_the_switch_keeps_relations_visible(spark):
    spark.conf.set("spark.parquetext.scan.enabled", "false")
    assert not hidden_relations(spark, SUM)


def test_relations_stay_visible_if_the_rule_that_shows_them_again_is_excluded(spark):
    spark.conf.set("spark.sql.optimizer.excludedRules", "dev.parquetext.spark.scan.FlatRules$After")
    assert relations(spark.sql(SUM)) == ["HadoopFsRelation"]
    assert spark.sql(SUM).collect()


def test_optimizations_of_the_user_stay_and_see_the_original_relation(spark):
    spark.sql(SUM).collect()
    methods, names = optimizations(spark)
    assert names == ["dev.parquetext.spark.scan.FlatRules$After"]
    other = spark._jvm.org.apache.spark.sql.catalyst.optimizer.CombineFilters
    getattr(methods, "extraOptimizations_$eq")(methods.extraOptimizations().empty().appended(_object(other)))
    assert hidden_relations(spark, SUM)
    assert relations(spark.sql(SUM)) == ["HadoopFsRelation"]
    _, names = optimizations(spark)
    assert names == [
        "dev.parquetext.spark.scan.FlatRules$After",
        "org.apache.spark.sql.catalyst.optimizer.CombineFilters$",
    ]


def _object(name: JavaClass) -> JavaObject:
    """Return a Scala object by the class of its functions."""
    return getattr(JavaClass(f"{name._fqn}$", name._gateway_client), "MODULE$")


@pytest.mark.parametrize("cached", ["true", "false"])
def test_a_cached_plan_is_found_whether_or_not_relations_were_hidden_before(spark, cached):
    spark.conf.set("spark.parquetext.scan.enabled", cached)
    query = "SELECT c1, c2 FROM flat WHERE c3 > 4"
    frame = spark.sql(query).cache()
    rows = sorted(frame.collect())
    try:
        for enabled in ("true", "false"):
            spark.conf.set("spark.parquetext.scan.enabled", enabled)
            found = spark.sql(query)
            assert relations_in_memory(found) and sorted(found.collect()) == rows
    finally:
        frame.unpersist()


def relations_in_memory(frame: DataFrame) -> bool:
    return "InMemoryRelation" in frame._jdf.queryExecution().optimizedPlan().toString()


def test_tables_are_written_from_wide_relations(spark, tmp_path):
    total = spark.sql(SUM).first()[0]
    spark.sql("CREATE TABLE wide_copy USING parquet AS SELECT * FROM flat")
    try:
        spark.sql("INSERT INTO wide_copy SELECT * FROM flat")
        spark.sql("ANALYZE TABLE wide_copy COMPUTE STATISTICS FOR COLUMNS c1, c7")
        spark.conf.set("spark.sql.cbo.enabled", "true")
        plans = []
        for enabled in ("true", "false"):
            spark.conf.set("spark.parquetext.scan.enabled", enabled)
            query = "SELECT sum(c7) FROM wide_copy WHERE c1 < 2000"
            assert spark.sql(query).first()[0] == 2 * total
            plans.append(explained(spark, query, "cost"))
        assert plans[0] == plans[1]
        with pytest.raises(Exception, match="overwrite"):
            spark.sql("INSERT OVERWRITE wide_copy SELECT * FROM wide_copy")
    finally:
        spark.sql("DROP TABLE wide_copy")


def test_columns_that_an_outer_join_makes_nullable_are_so_in_resolved_expressions(spark):
    left, right = spark.range(4), spark.range(2).selectExpr("id AS other")
    joined = left.join(right, left.id == right.other, "left").select(left.id, right.other)
    assert joined.schema["other"].nullable
    assert sorted(joined.where(right.other.isNull()).select("id").collect()) == [(2,), (3,)]
    flat = spark.table("flat").select("c1", "c2").where("c1 = 1").join(right, spark.table("flat").c1 > 3, "full")
    assert [field.nullable for field in flat.schema] == [True] * 3
    assert flat.where(right.other.isNull()).count() == 1


def test_operators_that_the_rule_of_nullability_would_not_change_have_its_mark(spark):
    left, right = spark.range(4), spark.range(2).selectExpr("id AS other")
    joined = left.join(right, left.id == right.other, "left")
    assert is_marked(spark, project(spark, joined, columns_of=joined))
    assert not is_marked(spark, project(spark, joined, columns_of=right)), "the join makes the column nullable"


def analyzed(frame: DataFrame) -> JavaObject:
    return frame._jdf.queryExecution().analyzed()


def project(spark, frame: DataFrame, *, columns_of: DataFrame) -> JavaObject:
    """Return the plan of a projection that no rule has seen."""
    classes = spark._jvm.org.apache.spark.sql.catalyst.plans.logical
    return classes.Project(analyzed(columns_of).output(), analyzed(frame))


def is_marked(spark, plan: JavaObject) -> bool:
    """Apply our rule to a plan, and return True if Spark's rule skips the plan then."""
    rules = spark._jsparkSession.sessionState().analyzer().postHocResolutionRules()
    [own] = [
        rule for rule in map(rules.apply, range(rules.size())) if rule.getClass().getSimpleName() == "NullabilityRule"
    ]
    updating = _object(spark._jvm.org.apache.spark.sql.catalyst.analysis.UpdateAttributeNullability).ruleId()
    assert not plan.isRuleIneffective(updating)
    own.apply(plan)
    return plan.isRuleIneffective(updating)
