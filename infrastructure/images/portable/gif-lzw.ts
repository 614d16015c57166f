const MAX_CODES = 4096

/**
 * Inflates the data of a GIF frame to exactly `count` palette indices. Never more: what a code stands for beyond
 * them is dropped. Throws when the data end before or hold a code that is not defined yet.
 */
export const inflateLzw = (bytes: Uint8Array, start: number, count: number): Uint8Array => {
  const indices = new Uint8Array(count)
  const rootBits = bytes[start] ?? 0
  if (rootBits < 1 || rootBits > 8) throw new Error("no such code size")
  const clear = 1 << rootBits
  const prefix = new Uint16Array(MAX_CODES)
  const suffix = new Uint8Array(MAX_CODES)
  const depth = new Uint16Array(MAX_CODES)
  for (let code = 0; code < clear; code++) suffix[code] = code

  const readCode = codeReader(bytes, start + 1)
  let bits = rootBits + 1
  let next = clear + 2
  let last = -1
  let filled = 0

  /** Writes what a code stands for, from its end to its beginning. */
  const write = (code: number) => {
    const length = depth[code] ?? 0
    let at = code
    for (let place = filled + length; place > filled; place--) {
      if (place < count) indices[place] = suffix[at] ?? 0
      at = prefix[at] ?? 0
    }
    if (filled < count) indices[filled] = suffix[at] ?? 0
    filled += length + 1
  }

  while (filled < count) {
    const code = readCode(bits)
    if (code === clear) {
      bits = rootBits + 1
      next = clear + 2
      last = -1
      continue
    }
    if (code === clear + 1) break
    const isDefined = last < 0 ? code < clear : code < next || (code === next && next < MAX_CODES)
    if (!isDefined) throw new Error("undefined code")
    if (last >= 0 && next < MAX_CODES) {
      prefix[next] = last
      depth[next] = (depth[last] ?? 0) + 1
      // The code may be the one being defined: then it ends as it begins, with the first index of the last one.
      suffix[next] = firstOf(code === next ? last : code, prefix, suffix, clear)
      next++
      if (next === 1 << bits && bits < 12) bits++
    }
    write(code)
    last = code
  }
  if (filled < count) throw new Error("the frame ends before its last pixel")
  return indices
}

const firstOf = (code: number, prefix: Uint16Array, suffix: Uint8Array, clear: number): number => {
  let at = code
  while (at >= clear) at = prefix[at] ?? 0
  return suffix[at] ?? 0
}

/** Reads codes, lowest bit first, from a chain of blocks each preceded by its length. */
const codeReader = (bytes: Uint8Array, start: number) => {
  let at = start
  let left = 0
  let pool = 0
  let pooled = 0
  const readByte = (): number => {
    if (left === 0) {
      left = bytes[at++] ?? 0
      if (left === 0) throw new Error("the data end too early")
    }
    left--
    const byte = bytes[at++]
    if (byte === undefined) throw new Error("the data end too early")
    return byte
  }
  return (bits: number): number => {
    while (pooled < bits) {
      pool |= readByte() << pooled
      pooled += 8
    }
    const code = pool & ((1 << bits) - 1)
    pool >>>= bits
    pooled -= bits
    return code
  }
}
