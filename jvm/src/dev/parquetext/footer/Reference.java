package dev.parquetext.footer;

import java.util.ArrayList;
import java.util.List;

/** The reference to blocks aside, before the Thrift footer. */
final class Reference {
    private static final int HEAD = Wire.REFERENCE_HEAD_BYTES, BLOCK = Wire.REFERENCE_BLOCK_BYTES;
    private static final int TRAILER = Wire.BLOCK_TRAILER_BYTES;

    final long structLength;
    final List<Block> blocks;
    final byte[] tailBlock;

    /**
     * @param structLength of the Thrift struct without extension, its stop included, in bytes
     * @param blocks front to back
     * @param tailBlock a copy of the last payload's end, or empty
     */
    Reference(long structLength, List<Block> blocks, byte[] tailBlock) {
        this.structLength = structLength;
        this.blocks = blocks;
        this.tailBlock = tailBlock;
    }

    /** A block: its UUID, its payload's offset in the file, and the payload's length. */
    static class Block {
        final Bytes uuid;
        final long payload;
        final int length;

        Block(Bytes uuid, long payload, int length) {
            this.uuid = uuid;
            this.payload = payload;
            this.length = length;
        }
    }

    /** The payload of a reference block of a file whose Thrift footer begins at {@code footer}. */
    static Reference parse(Bytes payload, long footer) throws NotSliced {
        if (payload.size < HEAD + BLOCK + 4) throw payload.damaged("a reference of " + payload.size + " bytes", 0);
        if (payload.u16(0) != Wire.REFERENCE_VERSION)
            throw new NotSliced(NotSliced.Reason.UNKNOWN_LAYOUT, "a reference of version " + payload.u16(0));
        long count = payload.u32(4), start = payload.i64(8), structLength = payload.u32(16);
        if (payload.u16(2) != 0) throw payload.damaged("a number that is not 0", 2);
        if (count < 1 || count > (payload.size - HEAD - 4) / BLOCK) throw payload.damaged(count + " blocks", 4);
        if (start < 0 || start > footer) throw payload.damaged("an old footer after the new one", 8);
        if (structLength == 0) throw payload.damaged("a struct of no bytes", 16);
        List<Block> blocks = blocks(payload, (int) count, start, footer);
        int at = HEAD + (int) count * BLOCK, copied = payload.count(at);
        if (copied > payload.size - at - 4 || copied > blocks.get(blocks.size() - 1).length)
            throw payload.damaged("a copy of " + copied + " bytes", at);
        return new Reference(structLength, blocks, payload.copy(at + 4, copied));
    }

    /** They follow each other from the first multiple of 8 at or after {@code start} to the Thrift footer. */
    private static List<Block> blocks(Bytes payload, int count, long start, long footer) throws NotSliced {
        List<Block> blocks = new ArrayList<>(count);
        long expected = start + 7 & ~7L;
        for (int i = 0; i < count; i++) {
            int at = HEAD + i * BLOCK, length = payload.count(at + 24);
            Block block = new Block(payload.part(at, 16), payload.i64(at + 16), length);
            if (block.payload != expected) throw payload.damaged("a block at " + block.payload, at + 16);
            long most = footer - expected - TRAILER;
            if (length > most || i == count - 1 && length != most)
                throw payload.damaged("a block of " + length + " bytes", at + 24);
            blocks.add(block);
            expected += length + TRAILER;
        }
        return blocks;
    }
}
