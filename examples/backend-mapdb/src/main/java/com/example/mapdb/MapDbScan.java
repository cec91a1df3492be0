package com.example.mapdb;

import io.reshard.spi.ByteView;
import io.reshard.spi.ScanRange;
import io.reshard.spi.StateIterator;
import io.reshard.spi.StateStoreException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * A scan of the moment it was opened, although the tree goes on changing.
 *
 * <p>What it shows are three layers, each hiding those below: the uncommitted writes of that moment
 * (a map nobody changes any more); the rows as they were before later commits changed them, which
 * {@link MapDbShard} puts here before it changes the tree; and the tree itself. Each step looks for
 * the next key in all three.
 */
final class MapDbScan implements StateIterator {
  private final MapDbShard shard;
  private final String columnFamily;
  private final ScanRange range;
  private final boolean forward;
  private final NavigableMap<byte[], byte[]> before = new TreeMap<>(Arrays::compareUnsigned);
  private final List<NavigableMap<byte[], byte[]>> upperLayers;
  private final ByteView key = new ByteView();
  private final ByteView value = new ByteView();
  private byte[] last;
  private boolean onRow;
  private boolean ended;
  private boolean closed;

  MapDbScan(
      MapDbShard shard,
      String columnFamily,
      ScanRange range,
      NavigableMap<byte[], byte[]> uncommitted) {
    this.shard = shard;
    this.columnFamily = columnFamily;
    this.range = range;
    this.forward = range.direction() == ScanRange.Direction.FORWARD;
    this.ended = range.isEmpty();
    this.upperLayers = List.of(uncommitted, before);
  }

  String columnFamily() {
    return columnFamily;
  }

  /** Takes a row that is about to change; a key that was taken before had changed already. */
  void keep(byte[] changedKey, byte[] valueBefore) {
    before.putIfAbsent(changedKey, valueBefore);
  }

  @Override
  public boolean next() {
    return shard.read(
        () -> {
          if (closed) {
            throw StateStoreException.closed("iterator");
          }
          onRow = !ended && step(shard.tree(columnFamily));
          ended = !onRow;
          return onRow;
        });
  }

  private boolean step(NavigableMap<byte[], byte[]> tree) {
    while (true) {
      Map.Entry<byte[], byte[]> found = after(tree);
      for (int i = upperLayers.size() - 1; i >= 0; i--) {
        found = first(after(upperLayers.get(i)), found);
      }
      if (found == null || beyondEnd(found.getKey())) {
        return false;
      }
      last = found.getKey();
      if (found.getValue() != Layer.NONE) {
        // Copies: the tree's and the layers' arrays are not the caller's to change.
        key.set(last.clone(), 0, last.length);
        value.set(found.getValue().clone(), 0, found.getValue().length);
        return true;
      }
    }
  }

  private Map.Entry<byte[], byte[]> after(NavigableMap<byte[], byte[]> rows) {
    if (last != null) {
      return forward ? rows.higherEntry(last) : rows.lowerEntry(last);
    } else if (forward) {
      return range.from() == null ? rows.firstEntry() : rows.ceilingEntry(range.from());
    } else {
      return range.to() == null ? rows.lastEntry() : rows.lowerEntry(range.to());
    }
  }

  /** The entry that comes first; the upper one if both have the same key. */
  private Map.Entry<byte[], byte[]> first(
      Map.Entry<byte[], byte[]> upper, Map.Entry<byte[], byte[]> lower) {
    if (upper == null || lower == null) {
      return upper == null ? lower : upper;
    }
    int order = Arrays.compareUnsigned(upper.getKey(), lower.getKey());
    return (forward ? order <= 0 : order >= 0) ? upper : lower;
  }

  private boolean beyondEnd(byte[] found) {
    return forward
        ? range.to() != null && Arrays.compareUnsigned(found, range.to()) >= 0
        : range.from() != null && Arrays.compareUnsigned(found, range.from()) < 0;
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
    if (!onRow || closed) {
      throw StateStoreException.invalid("no current row; next() must have returned true");
    }
    return view;
  }

  @Override
  public void close() {
    closed = true;
    shard.forget(this);
  }
}
