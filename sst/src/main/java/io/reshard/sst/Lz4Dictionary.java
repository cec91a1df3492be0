package io.reshard.sst;

import java.util.Arrays;
import net.jpountz.lz4.LZ4SafeDecompressor;

/**
 * Decompresses LZ4 blocks that refer to a dictionary, with a library that knows none: such a block
 * is one whose matches may reach back beyond its start, into the dictionary. So a sequence that
 * writes the dictionary is put in front of the block, and what both give is the dictionary and the
 * block's content behind it.
 *
 * <pre>
 *   sequence = token 0xf0, length of the literals, literals, short distance
 *   literals = the dictionary's last 4 bytes, the dictionary without them
 * </pre>
 *
 * <p>A sequence has to end in a match of at least 4 bytes, hence the detour: it copies the first
 * four of the literals to where the dictionary ends. Used by one thread.
 */
final class Lz4Dictionary {
  /** Matches reach no farther. */
  private static final int FARTHEST = 65_535;

  private static final int SHORTEST_MATCH = 4;
  private static final int MOST_IN_TOKEN = 15;

  private final int prefixOutput;
  private final int prefixLength;
  private byte[] input;
  private byte[] output = new byte[0];

  Lz4Dictionary(byte[] dictionary) {
    int length = Math.min(dictionary.length, FARTHEST);
    // A dictionary of less than 4 bytes: zeros in front, which nothing sound refers to.
    int padded = Math.max(length, SHORTEST_MATCH);
    byte[] reachable = new byte[padded];
    System.arraycopy(dictionary, dictionary.length - length, reachable, padded - length, length);
    int rest = padded - SHORTEST_MATCH;
    byte[] prefix = new byte[1 + padded / 255 + 1 + padded + Short.BYTES];
    int at = 0;
    prefix[at++] = (byte) (Math.min(padded, MOST_IN_TOKEN) << 4);
    if (padded >= MOST_IN_TOKEN) {
      int more = padded - MOST_IN_TOKEN;
      for (; more >= 255; more -= 255) {
        prefix[at++] = (byte) 255;
      }
      prefix[at++] = (byte) more;
    }
    System.arraycopy(reachable, rest, prefix, at, SHORTEST_MATCH);
    System.arraycopy(reachable, 0, prefix, at + SHORTEST_MATCH, rest);
    at += padded;
    prefix[at++] = (byte) padded;
    prefix[at++] = (byte) (padded >>> 8);
    this.input = Arrays.copyOf(prefix, at);
    this.prefixLength = at;
    this.prefixOutput = padded + SHORTEST_MATCH;
  }

  /**
   * Decompresses a block to the start of {@code target}.
   *
   * @param length most it may give
   * @return what it gave
   */
  int decompress(
      LZ4SafeDecompressor lz4, byte[] source, int from, int size, byte[] target, int length) {
    if (input.length - prefixLength < size) {
      input = Arrays.copyOf(input, prefixLength + size);
    }
    System.arraycopy(source, from, input, prefixLength, size);
    if (output.length - prefixOutput < length) {
      output = new byte[prefixOutput + length];
    }
    int got =
        lz4.decompress(input, 0, prefixLength + size, output, 0, prefixOutput + length)
            - prefixOutput;
    if (got > 0) {
      System.arraycopy(output, prefixOutput, target, 0, got);
    }
    return got;
  }
}
