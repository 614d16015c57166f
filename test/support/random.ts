/** A source of numbers from 0 to 1, without 1. */
export type Random = () => number

/** Numbers that a seed determines, so that a failure can be reproduced. */
export const numbersFrom = (seed: number): Random => {
  let state = seed
  return () => {
    state = state + 0x6d2b79f5 | 0
    let mixed = Math.imul(state ^ state >>> 15, 1 | state)
    mixed = mixed + Math.imul(mixed ^ mixed >>> 7, 61 | mixed) ^ mixed
    return ((mixed ^ mixed >>> 14) >>> 0) / 4_294_967_296
  }
}

export const pick = <A>(random: Random, from: ReadonlyArray<A>, otherwise: A): A =>
  from[Math.floor(random() * from.length)] ?? otherwise

export const text = (random: Random, alphabet: string, maxLength: number): string =>
  Array.from({ length: Math.floor(random() * maxLength) }, () => pick(random, [...alphabet], "")).join("")
