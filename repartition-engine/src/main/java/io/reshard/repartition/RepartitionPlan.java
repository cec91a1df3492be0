package io.reshard.repartition;

import io.reshard.checkpoint.Layout;
import java.util.List;

/**
 * What a repartition will do, made from metadata alone. Immutable, printable, serializable through
 * its text form.
 */
public final class RepartitionPlan {
  RepartitionPlan() {}

  /** The version it starts from. */
  public long sourceVersion() {
    throw new UnsupportedOperationException("stub");
  }

  /** The layout now. */
  public Layout source() {
    throw new UnsupportedOperationException("stub");
  }

  /** The layout after. */
  public Layout target() {
    throw new UnsupportedOperationException("stub");
  }

  /** Pairs of source and target shard that share rows. */
  public long pairs() {
    throw new UnsupportedOperationException("stub");
  }

  /** Number of independent tasks that rewrite something. */
  public int tasks() {
    throw new UnsupportedOperationException("stub");
  }

  /** Files handed over as they are. */
  public long filesReferenced() {
    throw new UnsupportedOperationException("stub");
  }

  /** Bytes handed over as they are. */
  public long bytesReferenced() {
    throw new UnsupportedOperationException("stub");
  }

  /** Files that are read and written anew. */
  public long filesRewritten() {
    throw new UnsupportedOperationException("stub");
  }

  /** Bytes of files that are read and written anew. */
  public long bytesRewritten() {
    throw new UnsupportedOperationException("stub");
  }

  /** Estimated requests to the object store: reads and writes. */
  public long requests() {
    throw new UnsupportedOperationException("stub");
  }

  /** Estimated seconds with the given parallelism. */
  public double estimatedSeconds(int parallelism) {
    throw new UnsupportedOperationException("stub");
  }

  /** Predicted bytes of every target shard. */
  public List<Long> predictedShardBytes() {
    throw new UnsupportedOperationException("stub");
  }

  /**
   * What a person should know: such as that 199 to 200 is all to all, and which counts near it are
   * not.
   */
  public List<String> advice() {
    throw new UnsupportedOperationException("stub");
  }

  /** The plan as text of several lines, for a person. */
  @Override
  public String toString() {
    throw new UnsupportedOperationException("stub");
  }
}
