package io.reshard.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reshard.spi.StateStoreException;
import io.reshard.sst.SstSource;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class LocalObjectStoreTest extends ObjectStoreContract {
  private Path root() {
    return directory.resolve("root");
  }

  @Override
  protected ObjectStore open() {
    return new LocalObjectStore(root());
  }

  @Test
  void leavesNothingInStaging() throws Exception {
    ObjectStore objects = open();
    Path file = Files.write(directory.resolve("f"), new byte[10]);
    objects.putIfAbsent("a", new byte[10]);
    objects.putIfAbsent("a", file);
    objects.putIfAbsent("b", file);
    assertThat(root().resolve("staging")).isEmptyDirectory();
  }

  @Test
  void aFileBecomesTheObjectByALink() throws Exception {
    ObjectStore objects = open();
    Path file = Files.write(directory.resolve("f"), new byte[10]);
    objects.putIfAbsent("a", file);
    assertThat(Files.getAttribute(root().resolve("a"), "unix:ino"))
        .isEqualTo(Files.getAttribute(file, "unix:ino"));
  }

  @Test
  void theStagingDirectoryHoldsNoObjects() {
    assertThatThrownBy(() -> open().putIfAbsent("staging/x", new byte[1]))
        .isInstanceOfSatisfying(
            StateStoreException.class,
            e -> assertThat(e.kind()).isEqualTo(StateStoreException.Kind.INVALID));
  }

  @Test
  void anInterruptedThreadDoesNotCloseTheFileForOthers() throws Exception {
    ObjectStore objects = open();
    objects.putIfAbsent("a", new byte[] {1, 2, 3});
    try (SstSource source = Objects.requireNonNull(objects.open("a"))) {
      Thread.currentThread().interrupt();
      assertThatThrownBy(() -> source.read(0, new byte[3], 0, 3))
          .isInstanceOfSatisfying(
              StateStoreException.class,
              e -> assertThat(e.kind()).isEqualTo(StateStoreException.Kind.UNAVAILABLE));
      assertThat(Thread.interrupted()).isTrue();
      byte[] bytes = new byte[3];
      source.read(0, bytes, 0, 3);
      assertThat(bytes).containsExactly(1, 2, 3);
    }
  }

  @Test
  void opensPathsAndFileUris() {
    ObjectStores.open(root().toString()).putIfAbsent("a", new byte[1]);
    assertThat(ObjectStores.open(root().toUri().toString()).info("a")).isNotNull();
    for (String location : new String[] {"", "  ", "gopher://x/y", "file:relative"}) {
      assertThatThrownBy(() -> ObjectStores.open(location))
          .isInstanceOfSatisfying(
              StateStoreException.class,
              e -> assertThat(e.kind()).isEqualTo(StateStoreException.Kind.INVALID));
    }
  }
}
