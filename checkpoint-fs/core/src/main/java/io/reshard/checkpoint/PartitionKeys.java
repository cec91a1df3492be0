package io.reshard.checkpoint;

import io.reshard.spi.ByteView;
import io.reshard.spi.PartitionKey;
import io.reshard.spi.PartitionKeyExtractor;
import io.reshard.spi.StateStoreException;
import java.util.ServiceLoader;

/** Finds the code behind a declared {@link PartitionKey}. What it returns is thread-safe. */
public final class PartitionKeys {
  private PartitionKeys() {}

  /**
   * The extractor of a declaration.
   *
   * @throws StateStoreException of kind INVALID if a named one is not on the class path
   */
  public static PartitionKeyExtractor extractor(PartitionKey declared) {
    int n = declared.bytes();
    return switch (declared.kind()) {
      case WHOLE -> of(declared, (key, out) -> out.set(key.array(), key.offset(), key.length()));
      case FIRST ->
          of(declared, (key, out) -> out.set(key.array(), key.offset(), Math.min(n, key.length())));
      case SKIP ->
          of(
              declared,
              (key, out) -> {
                int skipped = Math.min(n, key.length());
                out.set(key.array(), key.offset() + skipped, key.length() - skipped);
              });
      case LENGTH_PREFIXED -> of(declared, PartitionKeys::lengthPrefixed);
      case NAMED -> named(declared.extractor());
    };
  }

  private static void lengthPrefixed(ByteView key, ByteView out) {
    if (key.length() >= 2) {
      int length = (key.get(0) & 0xff) << 8 | (key.get(1) & 0xff);
      if (length <= key.length() - 2) {
        out.set(key.array(), key.offset() + 2, length);
        return;
      }
    }
    throw StateStoreException.invalid(
        "key "
            + key
            + " does not start with a 2-byte length and that many bytes, as its column family's"
            + " partition key 'length-prefixed' says; correct the key or the declaration");
  }

  private static PartitionKeyExtractor named(String name) {
    for (PartitionKeyExtractor found : ServiceLoader.load(PartitionKeyExtractor.class)) {
      if (found.name().equals(name)) {
        return found;
      }
    }
    throw StateStoreException.invalid(
        "no partition key extractor '" + name + "' on the class path; add the jar that has it");
  }

  private interface Extraction {
    void extract(ByteView key, ByteView out);
  }

  private static PartitionKeyExtractor of(PartitionKey declared, Extraction extraction) {
    return new PartitionKeyExtractor() {
      @Override
      public String name() {
        return declared.toString();
      }

      @Override
      public void extract(ByteView key, ByteView partitionKey) {
        extraction.extract(key, partitionKey);
      }
    };
  }
}
