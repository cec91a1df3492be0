package io.reshard.sst;

import io.reshard.spi.StateStoreException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * RocksDB's merge operator that appends strings (utilities/merge_operators/string_append): the
 * value of a key is its base value, if it has one, and its operands from the oldest to the newest,
 * with a delimiter between any two of them, empty ones too.
 *
 * <p>No file says which delimiter it is: give the one that the database is opened with. Immutable.
 */
public final class StringAppend {
  /**
   * Names in {@code rocksdb.merge.operator}: of the two implementations, which do the same, and of
   * none, as external files have it whose writer needs no operator to write operands.
   */
  private static final List<String> NAMES =
      List.of("StringAppendOperator", "StringAppendTESTOperator", "nullptr", "");

  private final byte[] delimiter;

  private StringAppend(byte[] delimiter) {
    this.delimiter = delimiter;
  }

  /** Delimiter "," as in {@code new org.rocksdb.StringAppendOperator()}. */
  public static StringAppend comma() {
    return of(',');
  }

  /**
   * A delimiter of one byte, as in {@code new org.rocksdb.StringAppendOperator(char)}, which keeps
   * the low byte of the character: so characters above 255 are INVALID here.
   */
  public static StringAppend of(char delimiter) {
    if (delimiter > 0xff) {
      throw StateStoreException.invalid(
          "delimiter '" + delimiter + "' has more than one byte; give it as a string");
    }
    return new StringAppend(new byte[] {(byte) delimiter});
  }

  /** A delimiter of any length, also none, in UTF-8: {@code StringAppendOperator(String)}. */
  public static StringAppend of(String delimiter) {
    return new StringAppend(delimiter.getBytes(StandardCharsets.UTF_8));
  }

  /** Whether a file written with the merge operator of this name can be read with this. */
  static boolean isNamed(String name) {
    return NAMES.contains(name);
  }

  int delimiterLength() {
    return delimiter.length;
  }

  void putDelimiter(byte[] target, int at) {
    System.arraycopy(delimiter, 0, target, at, delimiter.length);
  }

  @Override
  public String toString() {
    return "string append with delimiter " + Arrays.toString(delimiter);
  }
}
