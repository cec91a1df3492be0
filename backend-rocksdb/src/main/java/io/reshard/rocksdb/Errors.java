package io.reshard.rocksdb;

import io.reshard.spi.StateStoreException;
import io.reshard.spi.StateStoreException.Kind;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;

/** What RocksDB's errors are in the SPI. */
final class Errors {
  private Errors() {}

  /** {@code what} was being done to the database in {@code directory}. */
  static StateStoreException of(RocksDBException e, String what, Path directory) {
    Kind kind = kind(e);
    return new StateStoreException(
        kind, what + " failed in " + directory + ": " + e.getMessage() + "; " + advice(kind), e);
  }

  private static Kind kind(RocksDBException e) {
    Status status = e.getStatus();
    String message = String.valueOf(e.getMessage());
    if (status == null) {
      return Kind.INTERNAL;
    }
    return switch (status.getCode()) {
      case Corruption -> Kind.CORRUPT;
      // A file of the database that is gone does not come back by itself.
      case IOError -> message.contains("No such file") ? Kind.CORRUPT : Kind.UNAVAILABLE;
      case Busy, TryAgain, TimedOut, Incomplete, Aborted, ShutdownInProgress -> Kind.UNAVAILABLE;
      case NotSupported -> Kind.INCOMPATIBLE;
      default -> Kind.INTERNAL;
    };
  }

  private static String advice(Kind kind) {
    return switch (kind) {
      case CORRUPT -> "restore the shard from a snapshot";
      case UNAVAILABLE -> "check the disk and the room on it, then open the shard again";
      case INCOMPATIBLE -> "use the release that wrote it, or restore from another snapshot";
      default -> "open the shard again; if it persists, report it with this message";
    };
  }

  /** A file operation of the backend itself failed. */
  static StateStoreException io(String what, Path path, @Nullable Throwable cause) {
    String reason = cause == null ? "" : ": " + cause.getMessage();
    return StateStoreException.unavailable(
        what + " " + path + " failed" + reason + "; " + advice(Kind.UNAVAILABLE), cause);
  }
}
