import { Effect } from "effect"
import { decodeBatchOf } from "./batch-request.ts"
import { decodeEnqueue, decodeVerify } from "./verify-request.ts"
import { type Fields, invalid } from "../../input/decode.ts"

const isGiven = (fields: Fields) => (name: string): boolean => (fields[name] ?? null) !== null

/** Requires exactly one picture, and no payload. */
const requirePicture = Effect.fnUntraced(function* (fields: Fields) {
  if (isGiven(fields)("payload")) {
    return yield* invalid({
      path: "payload",
      message: "A TrueMoney slip cannot be verified from its QR text: send its picture as image, base64 or url"
    })
  }
  if (["image", "file", "base64", "url"].filter(isGiven(fields)).length === 1) return fields
  return yield* invalid({ path: "", message: "Give exactly one of image, base64, url" })
})

/** Decodes the verification of a TrueMoney slip (docs/spec/http.md, "POST /v2/verify/truewallet"). */
export const decodeWalletVerify = (fields: Fields) => Effect.flatMap(requirePicture(fields), decodeVerify)

/** Decodes a TrueMoney slip to verify later. Its picture cannot be stored, so only a URL leads to it later. */
export const decodeWalletEnqueue = Effect.fnUntraced(function* (fields: Fields) {
  const input = yield* decodeEnqueue(yield* requirePicture(fields))
  if (input.source._tag === "ImageUrl") return input
  return yield* invalid({
    path: ["image", "file", "base64"].find(isGiven(fields)) ?? "",
    message: "Pictures are not stored, so a TrueMoney slip is verified later by its url only. Or verify it now with "
      + "POST /v2/verify/truewallet"
  })
})

export const decodeWalletBatch = decodeBatchOf(decodeWalletEnqueue)
