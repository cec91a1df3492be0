package io.reshard.sst;

import io.reshard.spi.ByteView;
import io.reshard.spi.ScanRange;
import io.reshard.spi.StateIterator;
import io.reshard.spi.StateStoreException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A sorted map of byte arrays in memory whose whole content can be frozen in constant time: a B+
 * tree that copies a node on its first change after a freeze. The memory backend keeps its state in
 * one, the RocksDB backend its uncommitted writes.
 *
 * <p>One thread changes it at a time; a {@link Frozen} content is read by any number. The map
 * itself may be read by several threads as long as none changes it.
 */
/*
 * How it works.
 *
 * Rows lie in leaves of up to 32; inner nodes lead to them by separators: every key under child i
 * is less than separator i, every key under child i + 1 is not. All leaves lie at the same depth.
 *
 * Freezing. Every node carries the edit token of the time it was made in, and the map has a current
 * token. A node whose token is the current one cannot be part of any frozen content, so it is
 * changed in place; any other is copied first, and so is the path above it. Freezing takes a new
 * token, and that is all: it disowns every node at once. So a thousand writes between two freezes
 * copy each node they touch once, and a map that is never frozen is an ordinary B+ tree. As long as
 * nothing changes, freeze() gives the same object again and keeps the token.
 *
 * Restoring only swaps the root back. The token can stay: whatever was made with it since the
 * freeze is no longer reachable, and nothing reachable from the frozen root has it.
 *
 * Shape. A full node splits in half, but at the right edge it splits at its end, so that rows that
 * come in ascending order (an import) fill leaves wholly. A removal that leaves a node below a
 * quarter joins it with its neighbour or, if both do not fit in one, shares out evenly. Nodes at
 * the right edge may be small until then. No leaf is empty and no inner node has less than two
 * children, except that the empty map is one empty leaf that all maps share.
 *
 * Heads. Beside each key a node keeps the key's first eight bytes as a number. A search compares
 * heads, which lie side by side, and looks at a key itself only where heads are equal; without them
 * every step of a search would fetch another key from memory.
 *
 * Bytes. An array counts with its 16-byte header, rounded up to 8; a node with its object and its
 * three arrays, references of 4 bytes and heads of 8. Separators are the keys themselves, not
 * copies, so they count nothing; one may keep the array of a removed key alive, at most one for
 * every leaf.
 */
public final class SortedByteMap {
  /** A content that no longer changes. */
  public interface Frozen {
    /** The value itself, not a copy; null if there is none. */
    byte @Nullable [] get(byte[] key);

    /** Rows of a range in order; key and value views point at the arrays kept. */
    StateIterator scan(ScanRange range);

    /** Number of keys. */
    long size();

    /** Bytes of heap it takes, counted like {@link SortedByteMap#bytes()}. */
    long bytes();
  }

  /** Rows of a leaf and children of an inner node at most. */
  private static final int CAPACITY = 32;

  /** A removal that leaves a node with less than this joins it with a neighbour. */
  private static final int MINIMUM = CAPACITY / 4;

  private static final int ARRAY_HEADER = 16;
  private static final long NODE_BYTES = 32 + 3 * ARRAY_HEADER + (4 + 4 + 8) * CAPACITY;
  private static final VarHandle BIG_ENDIAN =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
  private static final Leaf EMPTY = new Leaf(new Object());

  private Object edit = new Object();
  private Node root = EMPTY;
  private long size;
  private long arrayBytes;
  private long nodes;
  private @Nullable FrozenContent frozen;

  // Results of one step of the recursion besides the node it returns.
  private byte @Nullable [] previous;
  private byte @Nullable [] separator;
  private @Nullable Node splitOff;

  /** An empty map. */
  public SortedByteMap() {}

  /** Keeps both arrays; they must not change any more. Returns what was there. */
  public byte @Nullable [] put(byte[] key, byte[] value) {
    Objects.requireNonNull(value, "value");
    frozen = null;
    if (root == EMPTY) {
      root = new Leaf(edit);
      nodes = 1;
    }
    previous = null;
    root = putInto(root, key, value, true);
    if (splitOff != null) {
      Inner above = new Inner(edit);
      above.children[0] = root;
      above.children[1] = splitOff;
      above.setKey(0, Objects.requireNonNull(separator));
      above.count = 2;
      root = above;
      nodes++;
      splitOff = null;
      separator = null;
    }
    byte[] old = previous;
    previous = null;
    arrayBytes += bytesOf(value);
    if (old == null) {
      size++;
      arrayBytes += bytesOf(key);
    } else {
      arrayBytes -= bytesOf(old);
    }
    return old;
  }

  /** Removes a key; returns what was there. */
  public byte @Nullable [] remove(byte[] key) {
    previous = null;
    Node left = removeFrom(root, key);
    byte[] old = previous;
    previous = null;
    if (old == null) {
      return null;
    }
    frozen = null;
    size--;
    arrayBytes -= bytesOf(key) + bytesOf(old);
    while (left instanceof Inner inner && inner.count == 1) {
      left = inner.children[0];
      nodes--;
    }
    root = left;
    if (size == 0) {
      clear();
    }
    return old;
  }

  /** Removes every key with {@code from <= key < to}, one by one; returns how many there were. */
  public long removeRange(byte[] from, byte[] to) {
    long removed = 0;
    byte[] key;
    while ((key = ceiling(from)) != null && Arrays.compareUnsigned(key, to) < 0) {
      remove(key);
      removed++;
    }
    return removed;
  }

  /** The value itself, not a copy; null if there is none. */
  public byte @Nullable [] get(byte[] key) {
    return find(root, key);
  }

  /** The present content, in constant time; the same object again while nothing has changed. */
  public Frozen freeze() {
    FrozenContent content = frozen;
    if (content == null) {
      edit = new Object();
      content = new FrozenContent(this, root, size, arrayBytes, nodes);
      frozen = content;
    }
    return content;
  }

  /**
   * Makes a content frozen from this map its present one again, in constant time.
   *
   * @throws StateStoreException of kind INVALID if it was frozen from another map
   */
  public void restore(Frozen frozen) {
    if (!(frozen instanceof FrozenContent content) || content.map != this) {
      throw StateStoreException.invalid(
          "a content to restore was frozen from another map; restore one that this map gave");
    }
    root = content.root;
    size = content.size;
    arrayBytes = content.arrayBytes;
    nodes = content.nodes;
    this.frozen = content;
  }

  /** Empties it. */
  public void clear() {
    root = EMPTY;
    size = 0;
    arrayBytes = 0;
    nodes = 0;
    frozen = null;
  }

  /** Number of keys. */
  public long size() {
    return size;
  }

  /** Bytes of heap the present content takes: arrays, their headers and the nodes. */
  public long bytes() {
    return arrayBytes + nodes * NODE_BYTES;
  }

  /** Bytes of heap that an array of {@code length} bytes takes. */
  public static long arrayBytes(int length) {
    return (ARRAY_HEADER + (long) length + 7) & -8L;
  }

  private static long bytesOf(byte[] array) {
    return arrayBytes(array.length);
  }

  // Reading.

  private static byte @Nullable [] find(Node node, byte[] key) {
    Leaf leaf = leafOf(node, key);
    int at = leaf.search(key);
    return at >= 0 ? leaf.values[at] : null;
  }

  private static Leaf leafOf(Node node, byte[] key) {
    Node at = node;
    while (at instanceof Inner inner) {
      at = inner.children[inner.childOf(key)];
    }
    return (Leaf) at;
  }

  /** The least key that is not less than {@code key}. */
  private byte @Nullable [] ceiling(byte[] key) {
    Node at = root;
    Node next = null;
    while (at instanceof Inner inner) {
      int child = inner.childOf(key);
      if (child + 1 < inner.count) {
        next = inner.children[child + 1];
      }
      at = inner.children[child];
    }
    int row = at.lowerBound(key);
    if (row < at.count) {
      return at.keys[row];
    }
    while (next instanceof Inner inner) {
      next = inner.children[0];
    }
    return next == null ? null : next.keys[0];
  }

  // Putting.

  /** {@code last}: whether nothing lies to the right of {@code node}. */
  private Node putInto(Node node, byte[] key, byte[] value, boolean last) {
    if (node instanceof Leaf leaf) {
      return putIntoLeaf(leaf, key, value, last);
    }
    Inner inner = (Inner) node;
    int at = inner.childOf(key);
    boolean lastChild = last && at == inner.count - 1;
    Node child = putInto(inner.children[at], key, value, lastChild);
    if (child == inner.children[at] && splitOff == null) {
      return inner;
    }
    Inner own = inner.ownedBy(edit);
    own.children[at] = child;
    if (splitOff != null) {
      addChild(own, at, lastChild);
    }
    return own;
  }

  private Node putIntoLeaf(Leaf leaf, byte[] key, byte[] value, boolean last) {
    int found = leaf.search(key);
    Leaf own = leaf.ownedBy(edit);
    if (found >= 0) {
      previous = own.values[found];
      own.values[found] = value;
      return own;
    }
    int at = ~found;
    if (own.count < CAPACITY) {
      own.insert(at, key, value);
      return own;
    }
    Leaf right = new Leaf(edit);
    nodes++;
    int keep = last && at == CAPACITY ? CAPACITY : CAPACITY / 2;
    own.moveTail(keep, right);
    if (at > keep || keep == CAPACITY) {
      right.insert(at - keep, key, value);
    } else {
      own.insert(at, key, value);
    }
    splitOff = right;
    separator = right.keys[0];
    return own;
  }

  /** Puts the node that was split off child {@code at} behind it; may split {@code own} in turn. */
  private void addChild(Inner own, int at, boolean last) {
    Node child = Objects.requireNonNull(splitOff);
    byte[] childSeparator = Objects.requireNonNull(separator);
    splitOff = null;
    separator = null;
    if (own.count < CAPACITY) {
      own.insert(at, childSeparator, child);
      return;
    }
    Inner right = new Inner(edit);
    nodes++;
    int keep = last ? CAPACITY - 2 : CAPACITY / 2;
    byte[] up = own.keys[keep - 1];
    own.moveTail(keep, right);
    if (at >= keep) {
      right.insert(at - keep, childSeparator, child);
    } else {
      own.insert(at, childSeparator, child);
    }
    splitOff = right;
    separator = up;
  }

  // Removing.

  private Node removeFrom(Node node, byte[] key) {
    if (node instanceof Leaf leaf) {
      int at = leaf.search(key);
      if (at < 0) {
        return leaf;
      }
      Leaf own = leaf.ownedBy(edit);
      previous = own.values[at];
      own.remove(at);
      return own;
    }
    Inner inner = (Inner) node;
    int at = inner.childOf(key);
    Node child = removeFrom(inner.children[at], key);
    if (previous == null) {
      return inner;
    }
    Inner own = inner.ownedBy(edit);
    own.children[at] = child;
    if (child.count < MINIMUM) {
      joinChild(own, at);
    }
    return own;
  }

  /** Joins a child that has become small with a neighbour, or shares out between the two. */
  private void joinChild(Inner own, int at) {
    int first = at == 0 ? 0 : at - 1;
    Node left = own.children[first].ownedBy(edit);
    Node right = own.children[first + 1].ownedBy(edit);
    own.children[first] = left;
    own.children[first + 1] = right;
    int total = left.count + right.count;
    if (total <= CAPACITY) {
      left.takeFromRight(right, right.count, own.keys[first]);
      own.removeBehind(first);
      nodes--;
    } else if (left.count < right.count) {
      own.setKey(first, left.takeFromRight(right, total / 2 - left.count, own.keys[first]));
    } else {
      own.setKey(first, right.takeFromLeft(left, total / 2 - right.count, own.keys[first]));
    }
  }

  /** A leaf or an inner node; {@code count} rows or children are in use. */
  private abstract static class Node {
    final Object owner;
    final byte[][] keys = new byte[CAPACITY][];
    final long[] heads = new long[CAPACITY];
    int count;

    Node(Object owner) {
      this.owner = owner;
    }

    /** This node if it may be changed in place, else a copy that may. */
    abstract Node ownedBy(Object edit);

    /** Moves the first {@code n} of {@code right} behind its own; returns the new separator. */
    abstract byte[] takeFromRight(Node right, int n, byte[] between);

    /** Moves the last {@code n} of {@code left} before its own; returns the new separator. */
    abstract byte[] takeFromLeft(Node left, int n, byte[] between);

    abstract int keyCount();

    final void setKey(int at, byte[] key) {
      keys[at] = key;
      heads[at] = head(key);
    }

    static void copyKeys(Node from, int at, Node to, int toAt, int n) {
      System.arraycopy(from.keys, at, to.keys, toAt, n);
      System.arraycopy(from.heads, at, to.heads, toAt, n);
    }

    /** The first eight bytes, zeros behind the end, as a number in the order of keys. */
    private static long head(byte[] key) {
      if (key.length >= Long.BYTES) {
        return (long) BIG_ENDIAN.get(key, 0) ^ Long.MIN_VALUE;
      }
      long head = 0;
      for (int i = 0; i < key.length; i++) {
        head |= (key[i] & 0xffL) << (56 - 8 * i);
      }
      return head ^ Long.MIN_VALUE;
    }

    /** The place of a key, or {@code ~} the place it would have. */
    final int search(byte[] key) {
      long head = head(key);
      int low = 0;
      int high = keyCount() - 1;
      while (low <= high) {
        int middle = (low + high) >>> 1;
        int order = Long.compare(heads[middle], head);
        if (order == 0) {
          order = Arrays.compareUnsigned(keys[middle], key);
          if (order == 0) {
            return middle;
          }
        }
        if (order < 0) {
          low = middle + 1;
        } else {
          high = middle - 1;
        }
      }
      return ~low;
    }

    /** How many keys are less than {@code key}. */
    final int lowerBound(byte[] key) {
      int at = search(key);
      return at < 0 ? ~at : at;
    }
  }

  private static final class Leaf extends Node {
    final byte[][] values = new byte[CAPACITY][];

    Leaf(Object owner) {
      super(owner);
    }

    @Override
    int keyCount() {
      return count;
    }

    @Override
    Leaf ownedBy(Object edit) {
      if (owner == edit) {
        return this;
      }
      Leaf copy = new Leaf(edit);
      copy.count = count;
      copyKeys(this, 0, copy, 0, count);
      System.arraycopy(values, 0, copy.values, 0, count);
      return copy;
    }

    void insert(int at, byte[] key, byte[] value) {
      copyKeys(this, at, this, at + 1, count - at);
      System.arraycopy(values, at, values, at + 1, count - at);
      setKey(at, key);
      values[at] = value;
      count++;
    }

    void remove(int at) {
      copyKeys(this, at + 1, this, at, count - at - 1);
      System.arraycopy(values, at + 1, values, at, count - at - 1);
      clearFrom(count - 1);
    }

    void moveTail(int from, Leaf right) {
      right.count = count - from;
      copyKeys(this, from, right, 0, right.count);
      System.arraycopy(values, from, right.values, 0, right.count);
      clearFrom(from);
    }

    @Override
    byte[] takeFromRight(Node node, int n, byte[] between) {
      Leaf right = (Leaf) node;
      copyKeys(right, 0, this, count, n);
      System.arraycopy(right.values, 0, values, count, n);
      count += n;
      int rest = right.count - n;
      copyKeys(right, n, right, 0, rest);
      System.arraycopy(right.values, n, right.values, 0, rest);
      right.clearFrom(rest);
      return rest == 0 ? between : right.keys[0];
    }

    @Override
    byte[] takeFromLeft(Node node, int n, byte[] between) {
      Leaf left = (Leaf) node;
      copyKeys(this, 0, this, n, count);
      System.arraycopy(values, 0, values, n, count);
      copyKeys(left, left.count - n, this, 0, n);
      System.arraycopy(left.values, left.count - n, values, 0, n);
      count += n;
      left.clearFrom(left.count - n);
      return keys[0];
    }

    private void clearFrom(int newCount) {
      Arrays.fill(keys, newCount, count, null);
      Arrays.fill(values, newCount, count, null);
      count = newCount;
    }
  }

  /** {@code count} children and {@code count - 1} separators between them. */
  private static final class Inner extends Node {
    final Node[] children = new Node[CAPACITY];

    Inner(Object owner) {
      super(owner);
    }

    @Override
    int keyCount() {
      return count - 1;
    }

    /** The child a key belongs under: as many children to its left as separators up to the key. */
    int childOf(byte[] key) {
      int at = search(key);
      return at < 0 ? ~at : at + 1;
    }

    @Override
    Inner ownedBy(Object edit) {
      if (owner == edit) {
        return this;
      }
      Inner copy = new Inner(edit);
      copy.count = count;
      copyKeys(this, 0, copy, 0, count - 1);
      System.arraycopy(children, 0, copy.children, 0, count);
      return copy;
    }

    /** Puts a child behind child {@code at}. */
    void insert(int at, byte[] key, Node child) {
      copyKeys(this, at, this, at + 1, count - 1 - at);
      System.arraycopy(children, at + 1, children, at + 2, count - 1 - at);
      setKey(at, key);
      children[at + 1] = child;
      count++;
    }

    /** Removes the child behind child {@code at}. */
    void removeBehind(int at) {
      copyKeys(this, at + 1, this, at, count - 2 - at);
      System.arraycopy(children, at + 2, children, at + 1, count - 2 - at);
      clearFrom(count - 1);
    }

    void moveTail(int from, Inner right) {
      right.count = count - from;
      copyKeys(this, from, right, 0, right.count - 1);
      System.arraycopy(children, from, right.children, 0, right.count);
      clearFrom(from);
    }

    @Override
    byte[] takeFromRight(Node node, int n, byte[] between) {
      Inner right = (Inner) node;
      setKey(count - 1, between);
      copyKeys(right, 0, this, count, n - 1);
      System.arraycopy(right.children, 0, children, count, n);
      count += n;
      int rest = right.count - n;
      if (rest == 0) {
        return between;
      }
      byte[] up = right.keys[n - 1];
      copyKeys(right, n, right, 0, rest - 1);
      System.arraycopy(right.children, n, right.children, 0, rest);
      right.clearFrom(rest);
      return up;
    }

    @Override
    byte[] takeFromLeft(Node node, int n, byte[] between) {
      Inner left = (Inner) node;
      copyKeys(this, 0, this, n, count - 1);
      System.arraycopy(children, 0, children, n, count);
      int rest = left.count - n;
      setKey(n - 1, between);
      copyKeys(left, rest, this, 0, n - 1);
      System.arraycopy(left.children, rest, children, 0, n);
      count += n;
      byte[] up = left.keys[rest - 1];
      left.clearFrom(rest);
      return up;
    }

    private void clearFrom(int newCount) {
      Arrays.fill(keys, newCount - 1, count - 1, null);
      Arrays.fill(children, newCount, count, null);
      count = newCount;
    }
  }

  private static final class FrozenContent implements Frozen {
    final SortedByteMap map;
    final Node root;
    final long size;
    final long arrayBytes;
    final long nodes;

    FrozenContent(SortedByteMap map, Node root, long size, long arrayBytes, long nodes) {
      this.map = map;
      this.root = root;
      this.size = size;
      this.arrayBytes = arrayBytes;
      this.nodes = nodes;
    }

    @Override
    public byte @Nullable [] get(byte[] key) {
      return find(root, key);
    }

    @Override
    public StateIterator scan(ScanRange range) {
      return new Scan(root, range);
    }

    @Override
    public long size() {
      return size;
    }

    @Override
    public long bytes() {
      return arrayBytes + nodes * NODE_BYTES;
    }
  }

  /**
   * Walks leaf by leaf. A leaf that lies within the far bound is walked without comparing keys;
   * only the one the bound falls into is cut, by one search.
   */
  private static final class Scan implements StateIterator {
    private final ScanRange range;
    private final boolean forward;
    private final int step;
    private final ByteView key = new ByteView();
    private final ByteView value = new ByteView();

    /** The inner nodes above the leaf, and which child of each the way leads through. */
    private Inner[] path;

    private int[] places;
    private Leaf leaf = EMPTY;

    /** The current row of the leaf; one off at the start. */
    private int row;

    /** The row at which the leaf's walk ends. */
    private int end;

    private boolean lastLeaf;
    private boolean onRow;
    private boolean closed;

    Scan(Node root, ScanRange range) {
      this.range = range;
      this.forward = range.direction() == ScanRange.Direction.FORWARD;
      this.step = forward ? 1 : -1;
      int height = 0;
      for (Node node = root; node instanceof Inner inner; node = inner.children[0]) {
        height++;
      }
      this.path = new Inner[height];
      this.places = new int[height];
      if (range.isEmpty()) {
        end = step;
        lastLeaf = true;
      } else {
        start(root);
      }
    }

    private void start(Node root) {
      byte[] bound = forward ? range.from() : range.to();
      Node node = root;
      for (int depth = 0; node instanceof Inner inner; depth++) {
        path[depth] = inner;
        places[depth] = bound != null ? inner.childOf(bound) : forward ? 0 : inner.count - 1;
        node = inner.children[places[depth]];
      }
      enter((Leaf) node);
      if (bound != null) {
        row = leaf.lowerBound(bound) - (forward ? 1 : 0);
        // The far bound may lie before the near one's place within this leaf: then nothing is left.
        if (forward ? row + 1 > end : row - 1 < end) {
          row = end - step;
        }
      }
    }

    /** Stands before the first row of a leaf, and finds where its walk ends. */
    private void enter(Leaf next) {
      leaf = next;
      if (forward) {
        row = -1;
        byte[] to = range.to();
        boolean cut = to != null && next.count > 0 && compare(next.keys[next.count - 1], to) >= 0;
        end = cut ? next.lowerBound(Objects.requireNonNull(to)) : next.count;
        lastLeaf = cut;
      } else {
        row = next.count;
        byte[] from = range.from();
        boolean cut = from != null && next.count > 0 && compare(next.keys[0], from) <= 0;
        end = cut ? next.lowerBound(Objects.requireNonNull(from)) - 1 : -1;
        lastLeaf = cut;
      }
    }

    private static int compare(byte[] a, byte[] b) {
      return Arrays.compareUnsigned(a, b);
    }

    @Override
    public boolean next() {
      if (closed) {
        throw StateStoreException.closed("the iterator");
      }
      int at = row + step;
      while (at == end) {
        if (lastLeaf || !nextLeaf()) {
          lastLeaf = true;
          onRow = false;
          return false;
        }
        at = row + step;
      }
      row = at;
      byte[] k = leaf.keys[at];
      byte[] v = leaf.values[at];
      key.set(k, 0, k.length);
      value.set(v, 0, v.length);
      onRow = true;
      return true;
    }

    private boolean nextLeaf() {
      int depth = path.length - 1;
      while (depth >= 0) {
        int place = places[depth] + step;
        if (place >= 0 && place < path[depth].count) {
          places[depth] = place;
          break;
        }
        depth--;
      }
      if (depth < 0) {
        return false;
      }
      Node node = path[depth].children[places[depth]];
      while (node instanceof Inner inner) {
        depth++;
        path[depth] = inner;
        places[depth] = forward ? 0 : inner.count - 1;
        node = inner.children[places[depth]];
      }
      enter((Leaf) node);
      return true;
    }

    @Override
    public ByteView key() {
      checkOnRow();
      return key;
    }

    @Override
    public ByteView value() {
      checkOnRow();
      return value;
    }

    private void checkOnRow() {
      if (!onRow) {
        throw StateStoreException.invalid(
            "the iterator stands on no row; call key() and value() after next() returned true");
      }
    }

    @Override
    public void close() {
      closed = true;
      onRow = false;
      leaf = EMPTY;
      path = new Inner[0];
    }
  }
}
