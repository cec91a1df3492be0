package io.reshard.tck;

import io.reshard.spi.Backend;
import io.reshard.spi.BackendOptions;
import io.reshard.spi.ByteView;
import io.reshard.spi.Capability;
import io.reshard.spi.ScanRange;
import io.reshard.spi.ShardOptions;
import io.reshard.spi.ShardStore;
import io.reshard.spi.SnapshotFile;
import io.reshard.spi.SnapshotReader;
import io.reshard.spi.SnapshotWriter;
import io.reshard.spi.StateIterator;
import io.reshard.spi.StateStoreProvider;
import io.reshard.spi.WriteBatch;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Wrappers that only pass calls on, for mutants to override one of them. */
final class Forwarding {
  private Forwarding() {}

  static class Provider implements StateStoreProvider {
    final StateStoreProvider to;

    Provider(StateStoreProvider to) {
      this.to = to;
    }

    @Override
    public String name() {
      return to.name();
    }

    @Override
    public int spiVersion() {
      return to.spiVersion();
    }

    @Override
    public Set<Capability> capabilities() {
      return to.capabilities();
    }

    @Override
    public String description() {
      return to.description();
    }

    @Override
    public Backend start(BackendOptions options) {
      return to.start(options);
    }
  }

  static class Started implements Backend {
    final Backend to;

    Started(Backend to) {
      this.to = to;
    }

    @Override
    public ShardStore open(ShardOptions options) {
      return to.open(options);
    }

    @Override
    public long memoryUsed() {
      return to.memoryUsed();
    }

    @Override
    public void close() {
      to.close();
    }
  }

  static class Store implements ShardStore {
    final ShardStore to;

    Store(ShardStore to) {
      this.to = to;
    }

    @Override
    public State state() {
      return to.state();
    }

    @Override
    public long version() {
      return to.version();
    }

    @Override
    public byte @Nullable [] get(String columnFamily, byte[] key) {
      return to.get(columnFamily, key);
    }

    @Override
    public byte[] @Nullable [] multiGet(String columnFamily, byte[][] keys) {
      return to.multiGet(columnFamily, keys);
    }

    @Override
    public StateIterator scan(String columnFamily, ScanRange range) {
      return to.scan(columnFamily, range);
    }

    @Override
    public void write(WriteBatch batch) {
      to.write(batch);
    }

    @Override
    public void commit(long version) {
      to.commit(version);
    }

    @Override
    public void rollback() {
      to.rollback();
    }

    @Override
    public void exportSnapshot(SnapshotWriter writer) {
      to.exportSnapshot(writer);
    }

    @Override
    public void importSnapshot(SnapshotReader reader) {
      to.importSnapshot(reader);
    }

    @Override
    public Map<String, Long> metrics() {
      return to.metrics();
    }

    @Override
    public void close() {
      to.close();
    }
  }

  static class Iterator implements StateIterator {
    final StateIterator to;

    Iterator(StateIterator to) {
      this.to = to;
    }

    @Override
    public boolean next() {
      return to.next();
    }

    @Override
    public ByteView key() {
      return to.key();
    }

    @Override
    public ByteView value() {
      return to.value();
    }

    @Override
    public void close() {
      to.close();
    }
  }

  static class Writer implements SnapshotWriter {
    final SnapshotWriter to;

    Writer(SnapshotWriter to) {
      this.to = to;
    }

    @Override
    public boolean reuse(String fileId) {
      return to.reuse(fileId);
    }

    @Override
    public void addFile(SnapshotFile file) {
      to.addFile(file);
    }

    @Override
    public void addRows(String columnFamily, StateIterator rows) {
      to.addRows(columnFamily, rows);
    }
  }
}
