import type { Schema } from "effect"
import type { Route } from "./paths.ts"

/** What a value on the wire is. */
export type Wire = Schema.Codec<unknown, unknown>

/** A value to look at, under a name. */
export interface Example {
  readonly summary: string
  readonly value: unknown
}

export type Examples = Readonly<Record<string, Example>>

/** A parameter in the path or behind the `?`. */
export interface Parameter {
  readonly name: string
  readonly in: "path" | "query"
  readonly description: string
  readonly schema: Wire
  readonly isRequired: boolean
  readonly example?: string
}

export interface Body {
  readonly json: Wire
  /** The same as multipart/form-data, where that is taken. */
  readonly form?: Wire
  /** The same as application/x-www-form-urlencoded, where that is taken. */
  readonly urlencoded?: Wire
  /** Whether it may be left away. */
  readonly isOptional?: boolean
  readonly examples: Examples
}

/** The success of an operation; `data` lies in the envelope of its version. */
export interface Success<Data extends Wire = Wire> {
  readonly status: 200 | 201 | 202
  readonly data: Data
  /** What `message` says; v1 has none. */
  readonly message: string
  /** Values of `data`. */
  readonly examples: Examples
}

export type Tag = "Verification" | "Later" | "Bank accounts" | "Callbacks" | "Information" | "v1"

/** What one method of one path takes and answers. */
export interface Operation<Code extends string = string, Data extends Wire = Wire> extends Route {
  readonly tag: Tag
  readonly summary: string
  readonly description: string
  /** Whether it wants an API key. */
  readonly isOpen?: boolean
  /** Whether what it accepts is told by a callback. */
  readonly callsBack?: boolean
  readonly parameters?: ReadonlyArray<Parameter>
  readonly body?: Body
  readonly success: Success<Data>
  /** Every code that it can answer with. */
  readonly codes: ReadonlyArray<Code>
  /** What can be wrong with a field, for example. */
  readonly fault?: { readonly path: string; readonly message: string }
}
