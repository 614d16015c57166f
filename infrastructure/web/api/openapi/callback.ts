import { notFoundCallback, successCallback } from "../examples.ts"
import { CallbackBody } from "../responses/job.ts"
import type { OperationObject, ParameterObject, PathItem } from "./document-types.ts"
import type { Schemas } from "./schemas.ts"

const NAME = "VerificationResult"

/** The `callbacks` of an operation whose result a callback delivers. */
export const callbackReference: NonNullable<OperationObject["callbacks"]> = {
  result: { "{$request.body#/callbackUrl}": { $ref: `#/components/pathItems/${NAME}` } }
}

export const webhooks = { verificationResult: { $ref: `#/components/pathItems/${NAME}` } } as const

const header = (name: string, description: string, pattern: string, example: string): ParameterObject => ({
  name,
  in: "header",
  required: true,
  description,
  schema: { type: "string", pattern },
  example
})

/** The requests that the service sends (docs/spec/http.md, "Callback"). */
export const callbackPathItems = (schemas: Schemas): Readonly<Record<string, PathItem>> => ({
  [NAME]: {
    post: {
      operationId: "verificationResult",
      tags: ["Callbacks"],
      summary: "A job has ended",
      description: "Sent to the `callbackUrl` of the request, else to the branch's default webhook URL. One job may "
        + "arrive more than once, with the same bytes: keep the first, by `jobId`. Believe it only when a signature is "
        + "right, over exactly the bytes that arrived, compared in constant time.",
      parameters: [
        header(
          "X-Service-Signature",
          "`sha256=` and the HMAC-SHA-256 of the body in hexadecimal, keyed with the branch's newest webhook secret, "
            + "as it is given, whole, in UTF-8.",
          "^sha256=[0-9a-f]{64}$",
          `sha256=${"0".repeat(64)}`
        ),
        header("webhook-id", "The jobId (Standard Webhooks).", "^[0-9a-f-]{36}$", successCallback.jobId),
        header("webhook-timestamp", "When it was sent, in seconds since 1970.", "^\\d+$", "1795305805"),
        header(
          "webhook-signature",
          "`v1,` and the HMAC-SHA-256 of `<webhook-id>.<webhook-timestamp>.<body>` in base64, keyed with the bytes "
            + "that the secret's base64 stands for; one entry for each secret that is in force, with a space between "
            + "them.",
          "^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=)*$",
          `v1,${"A".repeat(43)}=`
        ),
        header("User-Agent", "Who sends.", "^SlipTrail", "SlipTrail")
      ],
      requestBody: {
        required: true,
        content: {
          "application/json": {
            schema: schemas.of(CallbackBody),
            examples: {
              success: { summary: "Verified", value: successCallback },
              not_found: { summary: "Could not be verified", value: notFoundCallback }
            }
          }
        }
      },
      security: [],
      responses: {
        "2XX": { description: "Delivered." },
        "3XX": { description: "Never followed; sent again, as after 5XX." },
        "4XX": { description: "Rejected for good: it is not sent again." },
        "5XX": {
          description: "Sent again after 5 s, 30 s, 2 min, 10 min, 1 h (±20 %), then abandoned; so is what is not "
            + "answered within 10 s. `POST /v2/verify/bank/jobs/:jobId/redeliver` sends it again."
        }
      }
    }
  }
})
