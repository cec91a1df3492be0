package io.reshard.sst;

/** A source that does what another does, for whoever changes one thing about it. */
public abstract class ForwardingSource implements SstSource {
  private final SstSource source;

  /** Closing this closes {@code source}. */
  protected ForwardingSource(SstSource source) {
    this.source = source;
  }

  @Override
  public String name() {
    return source.name();
  }

  @Override
  public long size() {
    return source.size();
  }

  @Override
  public void read(long position, byte[] target, int offset, int length) {
    source.read(position, target, offset, length);
  }

  @Override
  public void close() {
    source.close();
  }
}
