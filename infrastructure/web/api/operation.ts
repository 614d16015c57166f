import type { Schema } from "effect"
import type { Scope } from "../../../domain/api-key.ts"
import type { JsonLimits } from "./body-limits.ts"

/** A schema of a value in JSON. */
export type Wire = Schema.Codec<unknown, unknown>

export interface Example {
  readonly summary: string
  readonly value: unknown
}

export type Examples = Readonly<Record<string, Example>>

/** A parameter in the path: text. */
export interface PathParameter {
  readonly description: string
  readonly example?: string
}

/** A struct with a field for each query parameter. Its key annotations are the description and an example. */
export type Query = Wire & { readonly fields: Readonly<Record<string, Wire>> }

export interface Body {
  readonly json: Wire
  /** The body as multipart/form-data; absent when it is not accepted. */
  readonly form?: Wire
  /** The body as application/x-www-form-urlencoded; absent when it is not accepted. */
  readonly urlencoded?: Wire
  readonly isOptional?: boolean
  /** The limit in bytes; `MAX_BODY_BYTES` by default. */
  readonly maxBytes?: number
  /** The largest structure of JSON; `DEFAULT_JSON_LIMITS` by default. */
  readonly limits?: JsonLimits
  /** Whether it has the fields of a slip, which are normalized before decoding and for an `Idempotency-Key`. */
  readonly isSlip?: boolean
  /** Whether it has `slips`, each of which counts as a request against the rate limit. */
  readonly isBatch?: boolean
  readonly examples: Examples
}

/** The success of an operation; the envelope of the version encloses `data`, unless it is a file. */
export interface Success<Data extends Wire = Wire> {
  readonly status: 200 | 201 | 202
  readonly data: Data
  /** Empty in v1, whose answers have none. */
  readonly message: string
  /** Values of `data`. */
  readonly examples: Examples
  /**
   * The media types of a file, each with its examples: the body is `data` itself without an envelope, as text or as a
   * stream. `examples` is then empty. Failures are JSON in the envelope all the same.
   */
  readonly files?: Readonly<Record<string, Examples>>
}

/** How an operation is called. */
export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  /** With parameters as the router writes them: `/v2/verify/bank/jobs/:jobId`. */
  readonly path: `/${string}`
  /** Whether it takes an `Idempotency-Key`. */
  readonly isKeyed?: boolean
  /** Whether a POST changes nothing, so that it can be repeated. */
  readonly isSafe?: boolean
}

/** The requests and answers of one method of one path. Routes and OpenAPI documents are made from it. */
export interface Operation<Code extends string = string, Data extends Wire = Wire> extends Route {
  readonly tag: string
  readonly summary: string
  readonly description: string
  /** Whether it needs no key. */
  readonly isOpen?: boolean
  /** Whether a callback delivers the result. */
  readonly callsBack?: boolean
  /** Whether `HEAD` is refused, although it is a GET: the operation has effects. */
  readonly refusesHead?: boolean
  /** The parameters in the path, but for an id that needs no other words. */
  readonly params?: Readonly<Record<string, PathParameter>>
  readonly query?: Query
  /** Whether it is a list with `cursor` and `limit`. */
  readonly isPaged?: boolean
  /** The `limit` of a request without one; 50 when it is absent. */
  readonly pageLimit?: number
  readonly body?: Body
  readonly success: Success<Data>
  /** The codes of its failures, besides those that every body has (`codesOf`). */
  readonly codes: ReadonlyArray<Code>
  /** An example of an issue. */
  readonly fault?: { readonly path: string; readonly message: string }
}

/** The scopes of keys that may call an operation: any one of them suffices. `every-key`: it needs none. */
export type RequiredScopes = readonly [Scope, ...ReadonlyArray<Scope>] | "every-key"

/** An operation for branches. It is open, or it names the scopes that it needs: no operation can forget them. */
export type BranchOperation<Code extends string = string> =
  & Operation<Code>
  & ({ readonly isOpen: true; readonly scopes?: never } | { readonly isOpen?: never; readonly scopes: RequiredScopes })
