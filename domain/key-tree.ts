/**
 * Derives keys for any number of subjects from one seed. A single key can be destroyed permanently.
 *
 * The keys are the leaves of a tree. Each node is derived from its parent by a one-way hash. Only the topmost nodes of
 * the available keys are stored: one seed at the beginning. To destroy a key, the stored node above it is replaced by
 * the siblings along the path to the key, from which the key cannot be derived. So a key needs no storage until it is
 * destroyed, and then some kilobytes (a punctured tree of Goldreich, Goldwasser and Micali).
 */

/** The stored nodes by their paths from the root, 32 bytes each. No path is a prefix of another. */
export type KeyTree = ReadonlyMap<string, Uint8Array>

/** A one-way function with 32 bytes of output, which reveals neither the input nor the outputs of other inputs. */
export type OneWay = (node: Uint8Array, digit: number) => Uint8Array

/** Hexadecimal digits of a path from the root to a key: 64 bits, so that no two subjects in a log share a path. */
export const PATH_DIGITS = 16

const DIGITS = "0123456789abcdef"

/** The tree with all keys. */
export const wholeTree = (seed: Uint8Array): KeyTree => new Map([["", seed]])

/** The path of the stored node above a key; undefined when the key was destroyed. */
const storedAncestor = (tree: KeyTree, path: string): string | undefined => {
  for (let digits = 0; digits <= path.length; digits++) {
    const ancestor = path.slice(0, digits)
    if (tree.has(ancestor)) return ancestor
  }
  return undefined
}

const descend = (node: Uint8Array, digits: string, oneWay: OneWay): Uint8Array => {
  let current = node
  for (const digit of digits) current = oneWay(current, DIGITS.indexOf(digit))
  return current
}

/** The key at a path; undefined when it was destroyed. */
export const keyAt = (tree: KeyTree, path: string, oneWay: OneWay): Uint8Array | undefined => {
  const ancestor = storedAncestor(tree, path)
  const node = ancestor === undefined ? undefined : tree.get(ancestor)
  return ancestor === undefined || node === undefined ? undefined : descend(node, path.slice(ancestor.length), oneWay)
}

/** The tree without the key at a path; the same tree when the key was destroyed before. */
export const withoutKey = (tree: KeyTree, path: string, oneWay: OneWay): KeyTree => {
  const ancestor = storedAncestor(tree, path)
  if (ancestor === undefined) return tree
  const remaining = new Map(tree)
  let node = tree.get(ancestor) ?? new Uint8Array()
  remaining.delete(ancestor)
  for (let depth = ancestor.length; depth < path.length; depth++) {
    for (const [digit, name] of Array.from(DIGITS).entries()) {
      if (name !== path[depth]) remaining.set(path.slice(0, depth) + name, oneWay(node, digit))
    }
    node = oneWay(node, DIGITS.indexOf(path[depth] ?? ""))
  }
  return remaining
}
