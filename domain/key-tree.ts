/**
 * Keys for any number of subjects out of one seed, of which single ones can be destroyed for good.
 *
 * The keys are the leaves of a tree in which every node follows from its parent by a hash, and from nothing else. What
 * is kept are the nodes from which the keys follow that may still be had: one seed at the beginning. To destroy a key,
 * the node above it is replaced by those beside the path to it, from which it does not follow. So a key costs nothing
 * until it is destroyed, and then some kilobytes (Goldreich, Goldwasser and Micali's tree, punctured).
 */

/** RememberedFailure nodes by their paths from the root; every one 32 bytes. No path begins with another one's. */
export type KeyTree = ReadonlyMap<string, Uint8Array>

/** One-way: nothing is learnt of its input, or of its outputs for other inputs. Gives 32 bytes. */
export type OneWay = (node: Uint8Array, digit: number) => Uint8Array

/** Hexadecimal digits of a path from the root to a key: 64 bits, so that no two subjects in a log share one. */
export const PATH_DIGITS = 16

const DIGITS = "0123456789abcdef"

export const isKeyPath = (path: string): boolean => path.length === PATH_DIGITS && /^[0-9a-f]+$/u.test(path)

/** The tree in which every key can be had. */
export const wholeTree = (seed: Uint8Array): KeyTree => new Map([["", seed]])

/** The path of the kept node above a key; undefined when the key was destroyed. */
const above = (tree: KeyTree, path: string): string | undefined => {
  for (let digits = 0; digits <= path.length; digits++) {
    const start = path.slice(0, digits)
    if (tree.has(start)) return start
  }
  return undefined
}

const descend = (node: Uint8Array, digits: string, oneWay: OneWay): Uint8Array => {
  let here = node
  for (const digit of digits) here = oneWay(here, DIGITS.indexOf(digit))
  return here
}

/** The key at a path; undefined when it was destroyed. */
export const keyAt = (tree: KeyTree, path: string, oneWay: OneWay): Uint8Array | undefined => {
  const start = above(tree, path)
  const node = start === undefined ? undefined : tree.get(start)
  return start === undefined || node === undefined ? undefined : descend(node, path.slice(start.length), oneWay)
}

/** The tree without the key at a path; the same one when it was destroyed before. */
export const withoutKey = (tree: KeyTree, path: string, oneWay: OneWay): KeyTree => {
  const start = above(tree, path)
  if (start === undefined) return tree
  const left = new Map(tree)
  let node = tree.get(start) ?? new Uint8Array()
  left.delete(start)
  for (let depth = start.length; depth < path.length; depth++) {
    for (const [digit, name] of Array.from(DIGITS).entries()) {
      if (name !== path[depth]) left.set(path.slice(0, depth) + name, oneWay(node, digit))
    }
    node = oneWay(node, DIGITS.indexOf(path[depth] ?? ""))
  }
  return left
}
