package io.reshard.checkpoint.hdfs;

import io.reshard.spi.StateStoreException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.ClosedByInterruptException;
import java.util.Locale;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hadoop.security.AccessControlException;

/** What an exception of Hadoop means to a caller. */
final class HdfsErrors {
  private HdfsErrors() {}

  /**
   * The error for a caller.
   *
   * @param what was tried, such as {@code reading hdfs://host/path}
   */
  static StateStoreException of(String what, IOException thrown) {
    IOException e =
        thrown instanceof RemoteException remote ? remote.unwrapRemoteException() : thrown;
    if (e instanceof ClosedByInterruptException
        || e instanceof InterruptedIOException
        || Thread.currentThread().isInterrupted()) {
      if (!(e instanceof java.net.SocketTimeoutException)) {
        Thread.currentThread().interrupt();
        return StateStoreException.unavailable(
            what + " failed: the thread was interrupted; call again if that was not meant", e);
      }
    }
    String name = e.getClass().getSimpleName();
    String said = firstLine(e);
    if (e instanceof AccessControlException) {
      return StateStoreException.unavailable(
          what
              + " failed: "
              + said
              + "; permit this user to read and write there, or give another by the option hdfs.user"
              + " or by Kerberos, then call again",
          e);
    }
    if (name.contains("QuotaExceeded")) {
      return StateStoreException.unavailable(
          what + " failed: " + said + "; raise the quota or delete something, then call again", e);
    }
    if (name.equals("SafeModeException") || name.equals("StandbyException")) {
      return StateStoreException.unavailable(
          what + " failed: " + said + "; the NameNode does not serve now, call again later", e);
    }
    if (name.toLowerCase(Locale.ROOT).contains("checksum")) {
      return new StateStoreException(
          StateStoreException.Kind.CORRUPT,
          what + " failed: " + said + "; restore the object from a copy, or use another version",
          e);
    }
    return StateStoreException.unavailable(
        what
            + " failed: "
            + name
            + ": "
            + said
            + "; check that NameNode and DataNodes run and can be reached, then call again",
        e);
  }

  /** Messages of the NameNode bring its stack trace along. */
  private static String firstLine(IOException e) {
    String message = String.valueOf(e.getMessage());
    int end = message.indexOf('\n');
    return end < 0 ? message : message.substring(0, end);
  }
}
