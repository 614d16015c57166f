import { Schema } from "effect"

/** The API keys of a branch: what each one may do, until when, and from where (docs/spec/http.md, "API keys"). */

/** What a key may do: verify slips, read what was verified, or change the settings of its branch. */
export const Scope = Schema.Literals(["verify", "read", "configure"])
export type Scope = typeof Scope.Type
export const allScopes: ReadonlyArray<Scope> = Scope.literals

export interface KeyLimits {
  readonly scopes: ReadonlyArray<Scope>
  /** ISO 8601, UTC; null never expires. */
  readonly expiresAt: string | null
  /**
   * Networks from which the key may call, in the form of `canonicalNetwork`. Null: every address that the branch admits.
   */
  readonly networks: ReadonlyArray<string> | null
}

export interface ApiKey extends KeyLimits {
  /** Null for the default key of the branch, and for the ones that it replaced. */
  readonly name: string | null
  /** Whether another key has replaced it. It may still work until it expires. */
  readonly isReplaced: boolean
  readonly isRevoked: boolean
}

/** The id of a key: a part of its digest, which says nothing about the key. Ids are compared within one branch. */
export const keyIdOf = (keyDigest: string): string => keyDigest.slice(0, 16)

/** Whether requests with the key are accepted at a moment (milliseconds since 1970). */
export const isInForce = ({ expiresAt, isRevoked }: ApiKey, at: number): boolean =>
  !isRevoked && (expiresAt === null || at < Date.parse(expiresAt))

/**
 * What limits have more than others; undefined when nothing. A key gives only what it has itself, so that a leaked one
 * cannot make a stronger one.
 */
export const excessOf = (limits: KeyLimits, own: KeyLimits): keyof KeyLimits | undefined => {
  if (!limits.scopes.every((scope) => own.scopes.includes(scope))) return "scopes"
  if (own.expiresAt !== null && (limits.expiresAt === null || isLater(limits.expiresAt, own.expiresAt))) {
    return "expiresAt"
  }
  return own.networks === null || (limits.networks?.every(isWithinOneOf(own.networks)) ?? false)
    ? undefined
    : "networks"
}

const isLater = (one: string, other: string): boolean => Date.parse(one) > Date.parse(other)

const isWithinOneOf = (wide: ReadonlyArray<string>) => (narrow: string): boolean =>
  wide.some((network) => bitsOf(narrow).startsWith(bitsOf(network)))

/** The bits that all addresses of a canonical network share, after its family. */
const bitsOf = (network: string): string => {
  const [address = "", length = ""] = network.split("/")
  const [family, bits] = address.includes(":")
    ? ["6", address.split(":").map((group) => binary(Number.parseInt(group, 16), 16))]
    : ["4", address.split(".").map((octet) => binary(Number(octet), 8))]
  return family + bits.join("").slice(0, Number(length))
}

const binary = (value: number, digits: number): string => value.toString(2).padStart(digits, "0")
