import { Effect } from "effect"
import type { VendorRequest } from "./dialect.ts"

/** A request as the server received it. */
export interface RawRequest {
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Uint8Array
}

/**
 * The fields of a body: JSON, a form, or a picture as the whole body, which becomes the field `file`. A body that cannot
 * be read has no fields.
 */
export const readFields = ({ body, headers }: RawRequest): Effect.Effect<VendorRequest["fields"]> => {
  const type = headers["content-type"] ?? ""
  if (type.startsWith("image/")) return Effect.succeed({ file: body })
  const read = type.startsWith("multipart/") ? formOf(type, body) : jsonOf(body)
  return Effect.orElseSucceed(read, () => ({}))
}

const jsonOf = (body: Uint8Array) =>
  Effect.try(() => {
    const value: unknown = JSON.parse(new TextDecoder().decode(body))
    return typeof value === "object" && value !== null ? { ...value } : {}
  })

const formOf = (type: string, body: Uint8Array) =>
  Effect.tryPromise(async () => {
    const form = await new Response(Uint8Array.from(body), { headers: { "content-type": type } }).formData()
    const fields = await Promise.all(
      [...form].map(async (
        [name, value]
      ): Promise<readonly [string, unknown]> => [
        name,
        typeof value === "string" ? value : new Uint8Array(await value.arrayBuffer())
      ])
    )
    return Object.fromEntries(fields)
  })
