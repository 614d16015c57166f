import { Effect } from "effect"
import { apiError } from "../../api/failures.ts"
import type { Exchange } from "../server/endpoint.ts"

/** The names of the encodings of a body; empty when it is sent as it is. */
const encodingsOf = (headers: Exchange["headers"]): ReadonlyArray<string> => {
  const header = headers["content-encoding"]
  return header === undefined
    ? []
    : header.toLowerCase().split(",").map((name) => name.trim()).filter((name) => !["", "identity"].includes(name))
}

/** Whether a body is compressed. Fails when it is encoded in another way than with gzip once. */
export const readsGzip = ({ answerHeaders, headers }: Exchange) => {
  const encodings = encodingsOf(headers)
  const [first, second] = encodings
  if (first === undefined) return Effect.succeed(false)
  if (second === undefined && ["gzip", "x-gzip"].includes(first)) return Effect.succeed(true)
  answerHeaders["accept-encoding"] = "gzip"
  const given = encodings.join(", ").slice(0, 60)
  return Effect.fail(apiError("UNSUPPORTED_CONTENT_ENCODING", {
    message: `The body has the Content-Encoding ${given}. Send it as it is, or compressed once with gzip.`
  }))
}
