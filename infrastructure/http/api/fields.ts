import { Option, Schema } from "effect"
import { fromBaht } from "../../../domain/money.ts"
import { MAX_IMAGE_BYTES } from "../../../ports/slip-reader.ts"
import { text } from "../../input/decode.ts"

/** Base64 of the largest picture, with room for line breaks and the head of a data URI. */
export const Base64Text = text(Math.ceil(MAX_IMAGE_BYTES / 3) * 4 + 1_024 * 1_024)

/**
 * Where the slip is, as it stands in JSON (docs/spec/http.md, "POST /v2/verify/bank"). What is judged by these fields
 * and what the API's description says of them is one and the same.
 */
export const sourceFields = {
  payload: Schema.optionalKey(
    text(128).annotate({
      description: "The text of the slip's QR code.",
      examples: ["0046000600000101030040225SBXF000037S20TOVMTPDR6N6V5102TH91040040"]
    })
  ),
  image: Schema.optionalKey(Base64Text.annotate({
    description: "A picture of the slip: base64, a data URI, or an http(s) URL of at most 2048 characters. JPEG, "
      + "PNG, GIF or WebP, judged by its bytes; at most 4 MB (4 194 304 bytes) and 25 megapixels. What begins with a "
      + "URI scheme is a URL (`data:` is inline data), everything else is base64.",
    examples: ["data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA", "https://shop.example/slips/42.png"]
  })),
  base64: Schema.optionalKey(Base64Text.annotate({
    description: "A picture as base64 or a data URI; the same as `image`."
  })),
  url: Schema.optionalKey(
    text(2048).annotate({
      description: "An http(s) URL of a picture, without a user name or password. It is fetched from public addresses "
        + "only, through at most three redirects.",
      examples: ["https://shop.example/slips/42.png"]
    })
  )
}

const isAmount = (baht: number): boolean => Option.exists(fromBaht(baht), (amount) => amount > 0)

const Amount = Schema.Finite.check(
  Schema.makeFilter((baht: number) => isAmount(baht) || "Expected an amount above 0 with at most two decimals", {
    // Decimals can't be told by `multipleOf`: validators divide in binary fractions.
    toJsonSchema: () => [{ exclusiveMinimum: 0, maximum: 9_999_999_999_999.99 }, true]
  })
)

/** What is asked of a slip, as it stands in JSON (docs/spec/http.md, "POST /v2/verify/bank"). */
export const verifyFields = {
  ...sourceFields,
  remark: Schema.optionalKey(
    text(255).annotate({
      description: "Given back in the answer and in the callback.",
      examples: ["order 42"]
    })
  ),
  matchAmount: Schema.optionalKey(Amount.annotate({
    description: "The amount that is expected, in baht with at most two decimals; `isAmountMatched` says whether it "
      + "is the slip's.",
    examples: [1500.5]
  })),
  matchAccount: Schema.optionalKey(Schema.Boolean.annotate({
    description: "Compare the receiver with the branch's bank accounts; `match` says what came of it."
  })),
  bankCode: Schema.optionalKey(Schema.String.annotate({
    description: "Compare with the accounts of this bank alone, a code of `GET /v2/banks`. It implies `matchAccount`.",
    examples: ["004"]
  })),
  extraVerify: Schema.optionalKey(Schema.String.annotate({
    description: "How to compare, one of the bank's `extraVerify` values. Needed with a `bankCode` that has such "
      + "values, refused with one that has none.",
    examples: ["MSISDN"]
  })),
  checkDuplicate: Schema.optionalKey(Schema.Boolean.annotate({
    description: "Accepted and without effect: `isDuplicate` is always the truth."
  }))
}

/** Where a result is told. Where it leads is judged later, together with all the others of a batch. */
export const CallbackUrl = Schema.optionalKey(
  text(2048).annotate({
    description: "A public https URL that the result is sent to; without it the branch's default webhook URL. A name "
      + "that does not resolve at the moment is accepted and judged at every attempt.",
    examples: ["https://shop.example/slip-results"]
  })
)
