package io.reshard.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reshard.checkpoint.testing.MemoryObjectStore;
import io.reshard.spi.ByteView;
import io.reshard.spi.ColumnFamily;
import io.reshard.spi.StateStoreException;
import io.reshard.sst.EntryType;
import io.reshard.sst.SstSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files are sent beside the thread that adds them. */
class StoreUploadTest {
  private static final ColumnFamily FAMILY = ColumnFamily.hashed("default");
  private static final Layout LAYOUT = Layout.modulo(1);

  @TempDir Path directory;

  private final CountDownLatch gate = new CountDownLatch(1);
  private volatile boolean full;

  /** Files wait until the gate is open, and then fail where the store is full. */
  private final class SlowStore implements ObjectStore {
    private final ObjectStore delegate =
        new MemoryObjectStore(directory.resolve("staging"), InstantSource.system());

    @Override
    public boolean putIfAbsent(String name, Path file) {
      try {
        assertThat(gate.await(60, TimeUnit.SECONDS)).isTrue();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
      if (full) {
        throw StateStoreException.unavailable("the store is full", null);
      }
      return delegate.putIfAbsent(name, file);
    }

    @Override
    public String location() {
      return delegate.location();
    }

    @Override
    public @Nullable SstSource open(String name) {
      return delegate.open(name);
    }

    @Override
    public @Nullable ObjectInfo info(String name) {
      return delegate.info(name);
    }

    @Override
    public boolean putIfAbsent(String name, byte[] content) {
      return delegate.putIfAbsent(name, content);
    }

    @Override
    public List<ObjectInfo> list(String prefix, String after, int limit) {
      return delegate.list(prefix, after, limit);
    }

    @Override
    public void delete(String name) {
      delegate.delete(name);
    }

    @Override
    public Path stagingDirectory() {
      return delegate.stagingDirectory();
    }

    @Override
    public void close() {
      delegate.close();
    }
  }

  /** Three files of their own, and one for a pack. */
  private static List<FileHandle> write(Upload upload) {
    List<FileHandle> handles = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      byte[] value = new byte[i < 3 ? 1 << 20 : 100];
      new Random(i).nextBytes(value);
      try (ShardFileWriter writer = new ShardFileWriter(upload, LAYOUT, FAMILY, 0)) {
        writer.add(new ByteView(new byte[] {(byte) i}), i, EntryType.PUT, new ByteView(value));
        handles.addAll(writer.finish());
      }
    }
    return handles;
  }

  private List<Path> staged() throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files.filter(Files::isRegularFile).toList();
    }
  }

  @Test
  void addingDoesNotWaitForTheStoreAndFlushDoes() throws Exception {
    try (CheckpointStore store = CheckpointStore.create(new SlowStore());
        Upload upload = store.upload(store.origin(LAYOUT, List.of(FAMILY)))) {
      List<FileHandle> handles = write(upload); // Would wait for ever, if it waited.
      assertThatThrownBy(handles.get(0)::ref)
          .isInstanceOf(StateStoreException.class)
          .hasMessageContaining("flush");
      gate.countDown();
      upload.flush();
      for (FileHandle handle : handles) {
        FileRef ref = handle.ref();
        assertThat(store.objects().info(ref.object())).isNotNull();
        store.verifyContent(ref);
      }
      assertThat(staged()).isEmpty();
    }
  }

  @Test
  void whatCannotBeSentFailsEveryFlush() throws Exception {
    full = true;
    try (CheckpointStore store = CheckpointStore.create(new SlowStore())) {
      try (Upload upload = store.upload(store.origin(LAYOUT, List.of(FAMILY)))) {
        List<FileHandle> handles = write(upload);
        gate.countDown();
        for (int i = 0; i < 2; i++) {
          assertThatThrownBy(upload::flush)
              .isInstanceOfSatisfying(
                  StateStoreException.class,
                  e -> assertThat(e.kind()).isEqualTo(StateStoreException.Kind.UNAVAILABLE))
              .hasMessageContaining("full");
        }
        assertThatThrownBy(handles.get(0)::ref).hasMessageContaining("full");
      }
      assertThat(staged()).isEmpty();
    }
  }

  /** What is on its way when an upload is given up is over when that returns. */
  @Test
  void closingWaitsForWhatIsOnItsWay() throws Exception {
    try (CheckpointStore store = CheckpointStore.create(new SlowStore())) {
      Upload upload = store.upload(store.origin(LAYOUT, List.of(FAMILY)));
      write(upload);
      new Thread(gate::countDown).start();
      upload.close();
      assertThat(staged()).isEmpty();
    }
  }
}
