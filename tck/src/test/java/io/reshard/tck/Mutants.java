package io.reshard.tck;

import io.reshard.rocksdb.RocksDbStateStoreProvider;
import io.reshard.spi.Backend;
import io.reshard.spi.BackendOptions;
import io.reshard.spi.ByteView;
import io.reshard.spi.Capability;
import io.reshard.spi.Limits;
import io.reshard.spi.ScanRange;
import io.reshard.spi.ShardOptions;
import io.reshard.spi.ShardStore;
import io.reshard.spi.SnapshotFile;
import io.reshard.spi.SnapshotReader;
import io.reshard.spi.SnapshotWriter;
import io.reshard.spi.StateIterator;
import io.reshard.spi.StateStoreException;
import io.reshard.spi.StateStoreProvider;
import io.reshard.spi.WriteBatch;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Backends that are wrong in one thing each, and the rule that must catch it. They are wrappers of
 * the kit's own model, or of RocksDB where files or a disk are what it is about.
 */
final class Mutants {
  /**
   * A broken backend.
   *
   * @param fault what is wrong with it
   * @param rule the rule it breaks
   * @param provider the backend
   */
  record Mutant(String fault, String rule, StateStoreProvider provider) {
    @Override
    public String toString() {
      return rule + " " + fault;
    }
  }

  private final List<Mutant> mutants = new ArrayList<>();

  private Mutants() {}

  static List<Mutant> all() {
    Mutants all = new Mutants();
    all.providers();
    all.bytes();
    all.order();
    all.iterators();
    all.columnFamilies();
    all.batches();
    all.versions();
    all.capabilities();
    all.lifecycle();
    all.snapshots();
    all.files();
    all.disks();
    all.threads();
    all.figures();
    return all.mutants;
  }

  private void add(String rule, String fault, StateStoreProvider provider) {
    mutants.add(new Mutant(fault, rule, provider));
  }

  /** A mutant of the model whose stores are changed. */
  private void store(String rule, String fault, UnaryOperator<ShardStore> change) {
    add(rule, fault, changed(new ReferenceModel(), change));
  }

  private static StateStoreProvider changed(
      StateStoreProvider base, UnaryOperator<ShardStore> change) {
    return new Forwarding.Provider(base) {
      @Override
      public Backend start(BackendOptions options) {
        return new Forwarding.Started(to.start(options)) {
          @Override
          public ShardStore open(ShardOptions shard) {
            return change.apply(to.open(shard));
          }
        };
      }
    };
  }

  /** A mutant of the model whose batches are changed before they are written. */
  private void writes(String rule, String fault, UnaryOperator<WriteBatch> change) {
    store(
        rule,
        fault,
        store ->
            new Forwarding.Store(store) {
              @Override
              public void write(WriteBatch batch) {
                to.write(change.apply(batch));
              }
            });
  }

  private interface Scan {
    StateIterator scan(ShardStore store, String columnFamily, ScanRange range);
  }

  /** A mutant of the model whose scans are changed. */
  private void scans(String rule, String fault, Scan scan) {
    store(
        rule,
        fault,
        store ->
            new Forwarding.Store(store) {
              @Override
              public StateIterator scan(String columnFamily, ScanRange range) {
                return scan.scan(to, columnFamily, range);
              }
            });
  }

  /** Passes operations on to another batch. */
  private static class Copy implements WriteBatch.Handler {
    final WriteBatch copy = new WriteBatch();

    @Override
    public void put(String columnFamily, ByteView key, ByteView value) {
      copy.put(columnFamily, key, value);
    }

    @Override
    public void delete(String columnFamily, ByteView key) {
      copy.delete(columnFamily, key);
    }

    @Override
    public void deleteRange(String columnFamily, ByteView from, ByteView to) {
      copy.deleteRange(columnFamily, from.toByteArray(), to.toByteArray());
    }

    WriteBatch of(WriteBatch batch) {
      batch.forEach(this);
      return copy;
    }
  }

  /** An iterator over rows that are there already. */
  private static StateIterator over(List<Row> rows) {
    return new StateIterator() {
      private final ByteView key = new ByteView();
      private final ByteView value = new ByteView();
      private int at = -1;
      private boolean closed;

      @Override
      public boolean next() {
        if (closed) {
          throw StateStoreException.closed("iterator");
        }
        at = Math.min(at + 1, rows.size());
        if (at < rows.size()) {
          key.set(rows.get(at).key().array(), 0, rows.get(at).key().length());
          value.set(rows.get(at).value().array(), 0, rows.get(at).value().length());
        }
        return at < rows.size();
      }

      @Override
      public ByteView key() {
        return current(key);
      }

      @Override
      public ByteView value() {
        return current(value);
      }

      private ByteView current(ByteView view) {
        if (at < 0 || at >= rows.size()) {
          throw StateStoreException.invalid("no current row");
        }
        return view;
      }

      @Override
      public void close() {
        closed = true;
      }
    };
  }

  private void providers() {
    add(
        "S-011",
        "has a name that is none",
        new Forwarding.Provider(new ReferenceModel()) {
          @Override
          public String name() {
            return "My Backend";
          }
        });
    add(
        "S-012",
        "is for another version of the SPI",
        new Forwarding.Provider(new ReferenceModel()) {
          @Override
          public int spiVersion() {
            return SPI_VERSION + 1;
          }
        });
    add(
        "S-013",
        "changes its mind about capabilities",
        new Forwarding.Provider(new ReferenceModel()) {
          private boolean started;

          @Override
          public Set<Capability> capabilities() {
            return started ? Set.of() : to.capabilities();
          }

          @Override
          public Backend start(BackendOptions options) {
            started = true;
            return to.start(options);
          }
        });
    add(
        "S-014",
        "takes any option",
        new Forwarding.Provider(new ReferenceModel()) {
          @Override
          public Backend start(BackendOptions options) {
            return to.start(new BackendOptions(options.memoryBudget(), Map.of()));
          }
        });
    add(
        "S-014",
        "can be started only once",
        new Forwarding.Provider(new ReferenceModel()) {
          private @Nullable Backend only;

          @Override
          public Backend start(BackendOptions options) {
            Backend backend = only == null ? to.start(options) : only;
            only = backend;
            return backend;
          }
        });
  }

  private void bytes() {
    writes(
        "S-101",
        "keeps the batch and applies it later",
        new UnaryOperator<>() {
          private WriteBatch last = new WriteBatch();

          @Override
          public WriteBatch apply(WriteBatch batch) {
            WriteBatch now = last;
            last = batch;
            return now;
          }
        });
    store(
        "S-101",
        "keeps the array of the key it was asked for",
        store ->
            new Forwarding.Store(store) {
              private final Map<String, byte[]> cachedKeys = new HashMap<>();
              private final Map<String, byte[]> cachedValues = new HashMap<>();

              @Override
              public byte @Nullable [] get(String columnFamily, byte[] key) {
                byte[] cachedKey = cachedKeys.get(columnFamily);
                if (cachedKey != null && Arrays.equals(cachedKey, key)) {
                  byte[] value = cachedValues.get(columnFamily);
                  return value == null ? null : value.clone();
                }
                byte[] value = to.get(columnFamily, key);
                if (value != null) {
                  cachedKeys.put(columnFamily, key);
                  cachedValues.put(columnFamily, value.clone());
                }
                return value;
              }

              @Override
              public void write(WriteBatch batch) {
                cachedKeys.clear();
                to.write(batch);
              }
            });
    store(
        "S-101",
        "sorts the keys of a multiGet in place",
        store ->
            new Forwarding.Store(store) {
              @Override
              public byte[] @Nullable [] multiGet(String columnFamily, byte[][] keys) {
                byte[] @Nullable [] values = to.multiGet(columnFamily, keys);
                Arrays.sort(keys, Arrays::compareUnsigned);
                return values;
              }
            });
    store(
        "S-102",
        "returns the same array every time",
        store ->
            new Forwarding.Store(store) {
              private final byte[] buffer = new byte[10];

              @Override
              public byte @Nullable [] get(String columnFamily, byte[] key) {
                byte[] value = to.get(columnFamily, key);
                if (value == null || value.length != buffer.length) {
                  return value;
                }
                System.arraycopy(value, 0, buffer, 0, buffer.length);
                return buffer;
              }
            });
    store(
        "S-102",
        "returns the array it keeps",
        store ->
            new Forwarding.Store(store) {
              private final Map<ByteView, byte[]> cache = new HashMap<>();

              @Override
              public byte @Nullable [] get(String columnFamily, byte[] key) {
                byte[] value = cache.get(new ByteView(key));
                if (value == null) {
                  value = to.get(columnFamily, key);
                  if (value != null) {
                    cache.put(new ByteView(key.clone()), value);
                  }
                }
                return value;
              }

              @Override
              public void write(WriteBatch batch) {
                cache.clear();
                to.write(batch);
              }
            });
    store(
        "S-102",
        "gives one array for two equal keys of a multiGet",
        store ->
            new Forwarding.Store(store) {
              @Override
              public byte[] @Nullable [] multiGet(String columnFamily, byte[][] keys) {
                byte[] @Nullable [] values = to.multiGet(columnFamily, keys);
                for (int i = 1; i < keys.length; i++) {
                  if (Arrays.equals(keys[i], keys[i - 1])) {
                    values[i] = values[i - 1];
                  }
                }
                return values;
              }
            });
    store(
        "S-104",
        "takes an empty value for none",
        store ->
            new Forwarding.Store(store) {
              @Override
              public byte @Nullable [] get(String columnFamily, byte[] key) {
                byte[] value = to.get(columnFamily, key);
                return value == null || value.length == 0 ? null : value;
              }
            });
    writes(
        "S-104",
        "drops the empty key",
        batch ->
            new Copy() {
              @Override
              public void put(String columnFamily, ByteView key, ByteView value) {
                if (key.length() > 0) {
                  super.put(columnFamily, key, value);
                }
              }
            }.of(batch));
    writes(
        "S-104",
        "ends a value at its first zero byte",
        batch ->
            new Copy() {
              @Override
              public void put(String columnFamily, ByteView key, ByteView value) {
                int length = 0;
                while (length < value.length() && value.get(length) != 0) {
                  length++;
                }
                super.put(columnFamily, key, new ByteView(value.array(), value.offset(), length));
              }
            }.of(batch));
    store(
        "S-105",
        "looks for a key of any length",
        store ->
            new Forwarding.Store(store) {
              @Override
              public byte @Nullable [] get(String columnFamily, byte[] key) {
                return key.length > Limits.MAX_KEY_BYTES ? null : to.get(columnFamily, key);
              }
            });
    writes(
        "S-105",
        "takes values up to 16 MiB",
        batch ->
            new Copy() {
              @Override
              public void put(String columnFamily, ByteView key, ByteView value) {
                if (value.length() > 16 << 20) {
                  throw StateStoreException.invalid("value of " + value.length() + " bytes");
                }
                super.put(columnFamily, key, value);
              }
            }.of(batch));
    writes(
        "S-103",
        "drops one key in fifty",
        batch ->
            new Copy() {
              @Override
              public void put(String columnFamily, ByteView key, ByteView value) {
                if (Math.floorMod(key.hashCode(), 50) != 7) {
                  super.put(columnFamily, key, value);
                }
              }
            }.of(batch));
    writes(
        "S-111",
        "ignores deletes",
        batch ->
            new Copy() {
              @Override
              public void delete(String columnFamily, ByteView key) {}
            }.of(batch));
    store(
        "S-112",
        "leaves missing keys out of a multiGet",
        store ->
            new Forwarding.Store(store) {
              @Override
              public byte[] @Nullable [] multiGet(String columnFamily, byte[][] keys) {
                List<byte[]> found = new ArrayList<>();
                for (byte[] value : to.multiGet(columnFamily, keys)) {
                  if (value != null) {
                    found.add(value);
                  }
                }
                return found.toArray(new byte[0][]);
              }
            });
  }

  private void order() {
    scans(
        "S-103",
        "orders by signed bytes",
        (store, columnFamily, range) -> {
          List<Row> rows = Rows.drain(store.scan(columnFamily, range));
          rows.sort(Comparator.comparing(row -> row.key().toByteArray(), Arrays::compare));
          return over(rows);
        });
    scans(
        "S-103",
        "orders by length first",
        (store, columnFamily, range) -> {
          List<Row> rows = Rows.drain(store.scan(columnFamily, range));
          rows.sort(Comparator.comparing((Row row) -> row.key().length()).thenComparing(Row::key));
          return over(rows);
        });
    scans(
        "S-311",
        "shows the upper bound too",
        (store, columnFamily, range) ->
            store.scan(
                columnFamily,
                range.to() == null
                    ? range
                    : new ScanRange(
                        range.from(),
                        Arrays.copyOf(range.to(), range.to().length + 1),
                        range.direction())));
    scans(
        "S-311",
        "does not show the lower bound",
        (store, columnFamily, range) ->
            store.scan(
                columnFamily,
                range.from() == null
                    ? range
                    : new ScanRange(
                        Arrays.copyOf(range.from(), range.from().length + 1),
                        range.to(),
                        range.direction())));
    scans(
        "S-311",
        "takes an empty upper bound for none",
        (store, columnFamily, range) ->
            store.scan(
                columnFamily,
                range.to() != null && range.to().length == 0
                    ? new ScanRange(range.from(), null, range.direction())
                    : range));
    scans(
        "S-311",
        "shows the lower bound of a reverse scan as exclusive",
        (store, columnFamily, range) ->
            store.scan(
                columnFamily,
                range.from() == null || range.direction() == ScanRange.Direction.FORWARD
                    ? range
                    : new ScanRange(
                        Arrays.copyOf(range.from(), range.from().length + 1),
                        range.to(),
                        range.direction())));
  }

  private void iterators() {
    scans(
        "S-301",
        "makes new views for every row",
        (store, columnFamily, range) ->
            new Forwarding.Iterator(store.scan(columnFamily, range)) {
              @Override
              public ByteView key() {
                return new ByteView(to.key().toByteArray());
              }
            });
    scans(
        "S-301",
        "moves on when the key is looked at twice",
        (store, columnFamily, range) ->
            new Forwarding.Iterator(store.scan(columnFamily, range)) {
              private int looked;

              @Override
              public ByteView key() {
                if (++looked % 2 == 0) {
                  to.next();
                }
                return to.key();
              }
            });
    scans(
        "S-302",
        "throws when it is asked again at the end",
        (store, columnFamily, range) ->
            new Forwarding.Iterator(store.scan(columnFamily, range)) {
              private boolean ended;

              @Override
              public boolean next() {
                if (ended) {
                  throw StateStoreException.internal("past the end", null);
                }
                ended = !to.next();
                return !ended;
              }
            });
    scans(
        "S-303",
        "has an empty key before the first row",
        (store, columnFamily, range) ->
            new Forwarding.Iterator(store.scan(columnFamily, range)) {
              @Override
              public ByteView key() {
                try {
                  return to.key();
                } catch (StateStoreException e) {
                  return new ByteView();
                }
              }
            });
    scans(
        "S-304",
        "goes on after close",
        (store, columnFamily, range) ->
            new Forwarding.Iterator(store.scan(columnFamily, range)) {
              @Override
              public void close() {}
            });
    scans(
        "S-304",
        "outlives its store",
        (store, columnFamily, range) -> over(Rows.drain(store.scan(columnFamily, range))));
    scans(
        "S-502",
        "shows what is written after it was opened",
        (store, columnFamily, range) -> live(store, columnFamily, range));
    store(
        "S-502",
        "ends its scans at an import",
        store ->
            new Forwarding.Store(store) {
              private final List<StateIterator> scans = new ArrayList<>();

              @Override
              public StateIterator scan(String columnFamily, ScanRange range) {
                StateIterator scan = to.scan(columnFamily, range);
                scans.add(scan);
                return scan;
              }

              @Override
              public void importSnapshot(SnapshotReader reader) {
                to.importSnapshot(reader);
                scans.forEach(StateIterator::close);
              }
            });
  }

  /** A scan that asks the store anew at each step. */
  private static StateIterator live(ShardStore store, String columnFamily, ScanRange range) {
    return new StateIterator() {
      private StateIterator current = store.scan(columnFamily, range);
      private byte @Nullable [] last;

      @Override
      public boolean next() {
        if (last != null) {
          current.close();
          current =
              store.scan(
                  columnFamily,
                  range.direction() == ScanRange.Direction.FORWARD
                      ? ScanRange.between(Arrays.copyOf(last, last.length + 1), range.to())
                      : ScanRange.between(range.from(), last).reversed());
        }
        boolean more = current.next();
        if (more) {
          last = current.key().toByteArray();
        }
        return more;
      }

      @Override
      public ByteView key() {
        return current.key();
      }

      @Override
      public ByteView value() {
        return current.value();
      }

      @Override
      public void close() {
        current.close();
      }
    };
  }

  private void columnFamilies() {
    writes(
        "S-201",
        "loses a column family",
        batch ->
            new Copy() {
              @Override
              public void put(String columnFamily, ByteView key, ByteView value) {
                if (!columnFamily.equals(Fixture.TWO)) {
                  super.put(columnFamily, key, value);
                }
              }
            }.of(batch));
    writes(
        "S-201",
        "deletes from every column family",
        batch ->
            new Copy() {
              @Override
              public void delete(String columnFamily, ByteView key) {
                super.delete(Fixture.ONE, key);
                super.delete(Fixture.TWO, key);
              }
            }.of(batch));
    store(
        "S-106",
        "answers for a column family that is not declared",
        store ->
            new Forwarding.Store(store) {
              @Override
              public byte @Nullable [] get(String columnFamily, byte[] key) {
                return columnFamily.equals("three") ? null : to.get(columnFamily, key);
              }
            });
    store(
        "S-106",
        "does not say which column families there are",
        store ->
            new Forwarding.Store(store) {
              @Override
              public void write(WriteBatch batch) {
                try {
                  to.write(batch);
                } catch (StateStoreException e) {
                  throw new StateStoreException(e.kind(), "no such column family", e);
                }
              }
            });
    store(
        "S-001",
        "lets an IllegalArgumentException out",
        store ->
            new Forwarding.Store(store) {
              @Override
              public StateIterator scan(String columnFamily, ScanRange range) {
                if (columnFamily.contains(" ")) {
                  throw new IllegalArgumentException(columnFamily);
                }
                return to.scan(columnFamily, range);
              }
            });
  }

  private void batches() {
    store(
        "S-202",
        "applies half of a batch that is refused",
        store ->
            new Forwarding.Store(store) {
              @Override
              public void write(WriteBatch batch) {
                batch.forEach(
                    new WriteBatch.Handler() {
                      @Override
                      public void put(String columnFamily, ByteView key, ByteView value) {
                        to.write(new WriteBatch().put(columnFamily, key, value));
                      }

                      @Override
                      public void delete(String columnFamily, ByteView key) {
                        to.write(new WriteBatch().delete(columnFamily, key));
                      }

                      @Override
                      public void deleteRange(String columnFamily, ByteView from, ByteView end) {
                        to.write(
                            new WriteBatch()
                                .deleteRange(columnFamily, from.toByteArray(), end.toByteArray()));
                      }
                    });
              }
            });
    writes(
        "S-203",
        "lets the first write of a key win",
        batch -> {
          Set<String> seen = new HashSet<>();
          return new Copy() {
            @Override
            public void put(String columnFamily, ByteView key, ByteView value) {
              if (seen.add(columnFamily + key)) {
                super.put(columnFamily, key, value);
              }
            }

            @Override
            public void delete(String columnFamily, ByteView key) {
              if (seen.add(columnFamily + key)) {
                super.delete(columnFamily, key);
              }
            }
          }.of(batch);
        });
    writes(
        "S-203",
        "applies deletes before puts",
        batch -> {
          Copy deletes =
              new Copy() {
                @Override
                public void put(String columnFamily, ByteView key, ByteView value) {}
              };
          deletes.of(batch);
          batch.forEach(
              new WriteBatch.Handler() {
                @Override
                public void put(String columnFamily, ByteView key, ByteView value) {
                  deletes.copy.put(columnFamily, key, value);
                }

                @Override
                public void delete(String columnFamily, ByteView key) {}

                @Override
                public void deleteRange(String columnFamily, ByteView from, ByteView to) {}
              });
          return deletes.copy;
        });
  }

  private void versions() {
    store(
        "S-211",
        "takes any version",
        store ->
            new Forwarding.Store(store) {
              private long version;

              @Override
              public void commit(long version) {
                to.commit(to.version() + 1);
                this.version = version;
              }

              @Override
              public long version() {
                return version;
              }
            });
    store(
        "S-212",
        "skips a commit without writes",
        store ->
            new Forwarding.Store(store) {
              private boolean written;

              @Override
              public void write(WriteBatch batch) {
                written = true;
                to.write(batch);
              }

              @Override
              public void commit(long version) {
                if (written) {
                  to.commit(version);
                  written = false;
                }
              }
            });
    store(
        "S-221",
        "does nothing at rollback",
        store ->
            new Forwarding.Store(store) {
              @Override
              public void rollback() {}
            });
    store(
        "S-221",
        "commits what was rolled back",
        store ->
            new Forwarding.Store(store) {
              private WriteBatch since = new WriteBatch();
              private WriteBatch rolledBack = new WriteBatch();

              @Override
              public void write(WriteBatch batch) {
                to.write(batch);
                since = batch;
              }

              @Override
              public void rollback() {
                to.rollback();
                rolledBack = since;
              }

              @Override
              public void commit(long version) {
                to.write(rolledBack);
                to.commit(version);
              }
            });
    store(
        "S-221",
        "brings deleted rows not back at rollback",
        store ->
            new Forwarding.Store(store) {
              private Copy deletes = deletes();

              private Copy deletes() {
                return new Copy() {
                  @Override
                  public void put(String columnFamily, ByteView key, ByteView value) {}
                };
              }

              @Override
              public void write(WriteBatch batch) {
                to.write(batch);
                batch.forEach(deletes);
              }

              @Override
              public void rollback() {
                to.rollback();
                to.write(deletes.copy);
                deletes = deletes();
              }
            });
    store(
        "S-403",
        "drops writes at a commit that is refused",
        store ->
            new Forwarding.Store(store) {
              @Override
              public void commit(long version) {
                try {
                  to.commit(version);
                } catch (StateStoreException e) {
                  to.rollback();
                  throw e;
                }
              }
            });
    store(
        "S-201",
        "shows writes only after the commit",
        store ->
            new Forwarding.Store(store) {
              private final List<WriteBatch> waiting = new ArrayList<>();

              @Override
              public void write(WriteBatch batch) {
                waiting.add(new Copy().of(batch));
              }

              @Override
              public void commit(long version) {
                waiting.forEach(to::write);
                waiting.clear();
                to.commit(version);
              }

              @Override
              public void rollback() {
                waiting.clear();
              }
            });
  }

  private void capabilities() {
    add("S-003", "scans in reverse without declaring it", declaring(Capability.DELETE_RANGE));
    add("S-003", "deletes ranges without declaring it", declaring(Capability.REVERSE_SCAN));
    store(
        "S-203",
        "deletes a range with its end",
        store ->
            new Forwarding.Store(store) {
              @Override
              public void write(WriteBatch batch) {
                to.write(
                    new Copy() {
                      @Override
                      public void deleteRange(String columnFamily, ByteView from, ByteView end) {
                        super.deleteRange(columnFamily, from, end);
                        super.delete(columnFamily, end);
                      }
                    }.of(batch));
              }
            });
    scans(
        "S-103",
        "scans forward where reverse is wanted",
        (store, columnFamily, range) ->
            store.scan(columnFamily, ScanRange.between(range.from(), range.to())));
    add(
        "S-003",
        "refuses what it does not declare in words of its own",
        changed(
            new ReferenceModel(Set.of()),
            store ->
                new Forwarding.Store(store) {
                  @Override
                  public StateIterator scan(String columnFamily, ScanRange range) {
                    try {
                      return to.scan(columnFamily, range);
                    } catch (StateStoreException e) {
                      throw StateStoreException.invalid("cannot do that");
                    }
                  }
                }));
    add(
        "S-023",
        "declares PERSISTENT and forgets",
        new Forwarding.Provider(new ReferenceModel()) {
          @Override
          public Set<Capability> capabilities() {
            return Set.of(Capability.REVERSE_SCAN, Capability.DELETE_RANGE, Capability.PERSISTENT);
          }
        });
    add(
        "S-232",
        "declares INCREMENTAL_EXPORT and hands over rows",
        new Forwarding.Provider(new ReferenceModel()) {
          @Override
          public Set<Capability> capabilities() {
            return Set.of(
                Capability.REVERSE_SCAN, Capability.DELETE_RANGE, Capability.INCREMENTAL_EXPORT);
          }
        });
  }

  private static StateStoreProvider declaring(Capability... capabilities) {
    return new Forwarding.Provider(new ReferenceModel()) {
      @Override
      public Set<Capability> capabilities() {
        return Set.of(capabilities);
      }
    };
  }

  private void lifecycle() {
    store(
        "S-401",
        "answers after close",
        store ->
            new Forwarding.Store(store) {
              @Override
              public byte @Nullable [] get(String columnFamily, byte[] key) {
                return to.state() == State.CLOSED ? null : to.get(columnFamily, key);
              }
            });
    store(
        "S-401",
        "fails at the second close",
        store ->
            new Forwarding.Store(store) {
              @Override
              public void close() {
                if (to.state() == State.CLOSED) {
                  throw StateStoreException.closed("shard");
                }
                to.close();
              }
            });
    store(
        "S-002",
        "says nothing of being closed",
        store ->
            new Forwarding.Store(store) {
              @Override
              public byte @Nullable [] get(String columnFamily, byte[] key) {
                try {
                  return to.get(columnFamily, key);
                } catch (StateStoreException e) {
                  throw new StateStoreException(e.kind(), "no", e);
                }
              }
            });
    add(
        "S-021",
        "leaves shards open when the backend is closed",
        new Forwarding.Provider(new ReferenceModel()) {
          @Override
          public Backend start(BackendOptions options) {
            return new Forwarding.Started(to.start(options)) {
              private boolean closed;

              @Override
              public ShardStore open(ShardOptions shard) {
                if (closed) {
                  throw StateStoreException.closed("backend");
                }
                return to.open(shard);
              }

              @Override
              public void close() {
                closed = true;
              }
            };
          }
        });
    add(
        "S-022",
        "opens a directory twice",
        new Forwarding.Provider(new ReferenceModel()) {
          @Override
          public Backend start(BackendOptions options) {
            return new Forwarding.Started(to.start(options)) {
              private final AtomicInteger opened = new AtomicInteger();

              @Override
              public ShardStore open(ShardOptions shard) {
                return to.open(
                    new ShardOptions(
                        shard.directory().resolve("o" + opened.getAndIncrement()),
                        shard.columnFamilies()));
              }
            };
          }
        });
  }

  private void snapshots() {
    store(
        "S-231",
        "exports uncommitted writes",
        store ->
            new Forwarding.Store(store) {
              @Override
              public void exportSnapshot(SnapshotWriter writer) {
                for (String name : List.of(Fixture.ONE, Fixture.TWO)) {
                  try (StateIterator rows = to.scan(name, ScanRange.all())) {
                    writer.addRows(name, rows);
                  }
                }
              }
            });
    store(
        "S-231",
        "leaves a column family out of the export",
        store ->
            new Forwarding.Store(store) {
              @Override
              public void exportSnapshot(SnapshotWriter writer) {
                to.exportSnapshot(
                    new Forwarding.Writer(writer) {
                      @Override
                      public void addRows(String columnFamily, StateIterator rows) {
                        if (!columnFamily.equals(Fixture.TWO)) {
                          to.addRows(columnFamily, rows);
                        }
                      }
                    });
              }
            });
    store(
        "S-233",
        "drops uncommitted writes when an export fails",
        store ->
            new Forwarding.Store(store) {
              @Override
              public void exportSnapshot(SnapshotWriter writer) {
                try {
                  to.exportSnapshot(writer);
                } catch (StateStoreException e) {
                  to.rollback();
                  throw e;
                }
              }
            });
    store(
        "S-241",
        "imports on top of what there was",
        store ->
            new Forwarding.Store(store) {
              @Override
              public void importSnapshot(SnapshotReader reader) {
                List<Row> old = Rows.all(to, Fixture.ONE);
                to.importSnapshot(reader);
                WriteBatch batch = new WriteBatch();
                for (Row row : old) {
                  if (to.get(Fixture.ONE, row.key().toByteArray()) == null) {
                    batch.put(Fixture.ONE, row.key(), row.value());
                  }
                }
                to.write(batch);
              }
            });
    store(
        "S-241",
        "keeps its version at an import",
        store ->
            new Forwarding.Store(store) {
              private long least;

              @Override
              public void importSnapshot(SnapshotReader reader) {
                least = Math.max(least, to.version());
                to.importSnapshot(reader);
              }

              @Override
              public long version() {
                return Math.max(least, to.version());
              }
            });
    store(
        "S-242",
        "is left half imported",
        store ->
            new Forwarding.Store(store) {
              @Override
              public void importSnapshot(SnapshotReader reader) {
                to.importSnapshot(SnapshotShelf.empty(Math.max(reader.version(), to.version())));
                for (String name : List.of(Fixture.ONE, Fixture.TWO)) {
                  try (StateIterator rows = reader.rows(name)) {
                    while (rows.next()) {
                      to.write(new WriteBatch().put(name, rows.key(), rows.value()));
                    }
                  }
                }
                to.commit(Math.max(reader.version(), to.version() + 1));
              }
            });
    store(
        "S-402",
        "answers though it has failed",
        store ->
            new Forwarding.Store(store) {
              private boolean failed;

              @Override
              public void importSnapshot(SnapshotReader reader) {
                try {
                  to.importSnapshot(reader);
                } catch (StateStoreException e) {
                  failed = true;
                  throw e;
                }
              }

              @Override
              public State state() {
                return failed && to.state() == State.OPEN ? State.FAILED : to.state();
              }
            });
  }

  /** Rows with the bytes of their values in the opposite order. */
  private static StateIterator turned(StateIterator rows) {
    return new Forwarding.Iterator(rows) {
      @Override
      public ByteView value() {
        byte[] value = to.value().toByteArray();
        for (int i = 0, j = value.length - 1; i < j; i++, j--) {
          byte first = value[i];
          value[i] = value[j];
          value[j] = first;
        }
        return new ByteView(value);
      }
    };
  }

  private void files() {
    store(
        "S-251",
        "exports in an encoding that only its own import knows",
        store ->
            new Forwarding.Store(store) {
              @Override
              public void exportSnapshot(SnapshotWriter writer) {
                to.exportSnapshot(
                    new Forwarding.Writer(writer) {
                      @Override
                      public void addRows(String columnFamily, StateIterator rows) {
                        to.addRows(columnFamily, turned(rows));
                      }
                    });
              }

              @Override
              public void importSnapshot(SnapshotReader reader) {
                to.importSnapshot(
                    new SnapshotReader() {
                      @Override
                      public long version() {
                        return reader.version();
                      }

                      @Override
                      public StateIterator rows(String columnFamily) {
                        return turned(reader.rows(columnFamily));
                      }

                      @Override
                      public List<SnapshotFile> files(Path directory) {
                        return reader.files(directory);
                      }
                    });
              }
            });
    add(
        "S-234",
        "numbers its files from zero in every shard",
        changed(
            new RocksDbStateStoreProvider(),
            store ->
                new Forwarding.Store(store) {
                  private final Map<String, String> names = new HashMap<>();

                  @Override
                  public void exportSnapshot(SnapshotWriter writer) {
                    to.exportSnapshot(
                        new Forwarding.Writer(writer) {
                          private String rename(String id) {
                            return names.computeIfAbsent(id, any -> "file-" + names.size());
                          }

                          @Override
                          public boolean reuse(String fileId) {
                            return to.reuse(rename(fileId)) && names.size() < 0;
                          }

                          @Override
                          public void addFile(SnapshotFile file) {
                            to.addFile(renamed(file, rename(file.id())));
                          }
                        });
                  }
                }));
    add(
        "S-232",
        "adds every file every time",
        changed(
            new RocksDbStateStoreProvider(),
            store ->
                new Forwarding.Store(store) {
                  @Override
                  public void exportSnapshot(SnapshotWriter writer) {
                    to.exportSnapshot(
                        new Forwarding.Writer(writer) {
                          @Override
                          public boolean reuse(String fileId) {
                            to.reuse(fileId);
                            return false;
                          }
                        });
                  }
                }));
    add(
        "S-232",
        "adds its files under new names every time",
        changed(
            new RocksDbStateStoreProvider(),
            store ->
                new Forwarding.Store(store) {
                  private int exports;

                  @Override
                  public void exportSnapshot(SnapshotWriter writer) {
                    String suffix = "-" + exports++;
                    to.exportSnapshot(
                        new Forwarding.Writer(writer) {
                          @Override
                          public boolean reuse(String fileId) {
                            return to.reuse(fileId + suffix);
                          }

                          @Override
                          public void addFile(SnapshotFile file) {
                            to.addFile(renamed(file, file.id() + suffix));
                          }
                        });
                  }
                }));
  }

  private static SnapshotFile renamed(SnapshotFile file, String id) {
    return new SnapshotFile(
        id,
        file.columnFamily(),
        file.path(),
        file.size(),
        file.level(),
        file.smallestKey(),
        file.largestKey(),
        file.smallestSequence(),
        file.largestSequence());
  }

  /**
   * RocksDB whose commits return a moment before they are done. Every later call waits for that, so
   * only a process that dies in between can tell.
   */
  public static final class LateCommit extends Forwarding.Provider {
    /** Found by its name in the process that is killed. */
    public LateCommit() {
      super(changed(new RocksDbStateStoreProvider(), LateStore::new));
    }
  }

  private static final class LateStore extends Forwarding.Store {
    private static final long DELAY_NANOS = 30_000_000;

    private CompletableFuture<@Nullable Void> pending = CompletableFuture.completedFuture(null);

    LateStore(ShardStore to) {
      super(to);
    }

    private synchronized ShardStore settled() {
      pending.join();
      return to;
    }

    @Override
    public synchronized void commit(long version) {
      if (settled().version() >= version) {
        to.commit(version);
      }
      pending =
          CompletableFuture.runAsync(
              () -> {
                LockSupport.parkNanos(DELAY_NANOS);
                to.commit(version);
              });
    }

    @Override
    public long version() {
      return settled().version();
    }

    @Override
    public byte @Nullable [] get(String columnFamily, byte[] key) {
      return settled().get(columnFamily, key);
    }

    @Override
    public byte[] @Nullable [] multiGet(String columnFamily, byte[][] keys) {
      return settled().multiGet(columnFamily, keys);
    }

    @Override
    public StateIterator scan(String columnFamily, ScanRange range) {
      return settled().scan(columnFamily, range);
    }

    @Override
    public void write(WriteBatch batch) {
      settled().write(batch);
    }

    @Override
    public void rollback() {
      settled().rollback();
    }

    @Override
    public void exportSnapshot(SnapshotWriter writer) {
      settled().exportSnapshot(writer);
    }

    @Override
    public void importSnapshot(SnapshotReader reader) {
      settled().importSnapshot(reader);
    }

    @Override
    public Map<String, Long> metrics() {
      return settled().metrics();
    }

    @Override
    public void close() {
      settled().close();
    }
  }

  private void disks() {
    add("S-213", "says that it has committed before it has", new LateCommit());
    add(
        "S-023",
        "commits at close",
        changed(
            new RocksDbStateStoreProvider(),
            store ->
                new Forwarding.Store(store) {
                  @Override
                  public void close() {
                    if (to.state() == State.OPEN) {
                      to.commit(to.version() + 1);
                    }
                    to.close();
                  }
                }));
    add(
        "S-024",
        "starts anew where the column families differ",
        new Forwarding.Provider(new RocksDbStateStoreProvider()) {
          @Override
          public Backend start(BackendOptions options) {
            return new Forwarding.Started(to.start(options)) {
              @Override
              public ShardStore open(ShardOptions shard) {
                try {
                  return to.open(shard);
                } catch (StateStoreException e) {
                  if (e.kind() != StateStoreException.Kind.INCOMPATIBLE) {
                    throw e;
                  }
                  return to.open(
                      new ShardOptions(
                          shard.directory().resolveSibling("anew"), shard.columnFamilies()));
                }
              }
            };
          }
        });
  }

  private void threads() {
    store(
        "S-112",
        "gets the keys of a multiGet one after another",
        store ->
            new Forwarding.Store(store) {
              @Override
              public byte[] @Nullable [] multiGet(String columnFamily, byte[][] keys) {
                byte[] @Nullable [] values = new byte[keys.length][];
                for (int i = 0; i < keys.length; i++) {
                  values[i] = to.get(columnFamily, keys[i]);
                  LockSupport.parkNanos(10_000);
                }
                return values;
              }
            });
    store(
        "S-501",
        "writes a batch in two halves",
        store ->
            new Forwarding.Store(store) {
              @Override
              public void write(WriteBatch batch) {
                Copy first = new Copy();
                Copy second = new Copy();
                AtomicInteger index = new AtomicInteger();
                batch.columnFamilies().forEach(name -> to.get(name, new byte[0]));
                batch.forEach(
                    new WriteBatch.Handler() {
                      private WriteBatch.Handler half() {
                        return index.getAndIncrement() < batch.count() / 2 ? first : second;
                      }

                      @Override
                      public void put(String columnFamily, ByteView key, ByteView value) {
                        half().put(columnFamily, key, value);
                      }

                      @Override
                      public void delete(String columnFamily, ByteView key) {
                        half().delete(columnFamily, key);
                      }

                      @Override
                      public void deleteRange(String columnFamily, ByteView from, ByteView end) {
                        half().deleteRange(columnFamily, from, end);
                      }
                    });
                to.write(first.copy);
                LockSupport.parkNanos(10_000);
                to.write(second.copy);
              }
            });
  }

  private void figures() {
    store(
        "S-601",
        "has no figures",
        store ->
            new Forwarding.Store(store) {
              @Override
              public Map<String, Long> metrics() {
                to.metrics();
                return Map.of();
              }
            });
    store(
        "S-601",
        "counts batches, not operations",
        store ->
            new Forwarding.Store(store) {
              private long batches;

              @Override
              public void write(WriteBatch batch) {
                to.write(batch);
                batches++;
              }

              @Override
              public Map<String, Long> metrics() {
                Map<String, Long> metrics = new HashMap<>(to.metrics());
                metrics.put("writes", batches);
                return metrics;
              }
            });
  }
}
