import { Schema, SchemaTransformation } from "effect"
import { parseId } from "../../../../domain/ids.ts"
import { Order } from "../../../../domain/order.ts"
import { DeliveryOutcome } from "../../../../domain/callback.ts"
import { WebhookRequest } from "../requests/slips.ts"
import { deliveries, ids } from "../examples.ts"
import type { BranchOperation } from "../operation.ts"
import { Deliveries, RotatedSecret, Webhook } from "../responses/job.ts"
import { RotateRequest } from "../requests/provisioning.ts"
import { inOrder, timeRange } from "../requests/time-range.ts"
import { expected, field, literals } from "../values.ts"
import { scopedCodes, type V2Code } from "../failures.ts"
import { fields, ok, operationsOf, optionalFields } from "./declare.ts"

const { get, post, put } = operationsOf("Callbacks")

const JobId = Schema.String.annotate({ format: "uuid" }).pipe(
  Schema.decodeTo(
    Schema.String.check(expected((id) => parseId(id) !== undefined, "a UUID")),
    SchemaTransformation.toLowerCase()
  )
)

const url = "https://shop.example/slip-results"

/** The webhook of a branch and its deliveries (docs/spec/http.md, "Callback", "Secret rotation"). */
export const callbacks = {
  getWebhook: get("/v2/webhook", {
    scopes: ["read", "configure"],
    summary: "The default webhook URL",
    description: "Where results go whose request named no `callbackUrl`.",
    success: ok(Webhook, "Default webhook URL", {
      set: { summary: "There is one", value: { url } },
      none: { summary: "There is none", value: { url: null } }
    }),
    codes: scopedCodes
  }),
  setWebhook: put("/v2/webhook", {
    scopes: ["configure"],
    summary: "Change the default webhook URL",
    description: "For jobs that are accepted from now on.",
    body: fields(WebhookRequest, {
      set: { summary: "Call here", value: { url } },
      none: { summary: "Call nobody", value: { url: null } }
    }),
    success: ok(Webhook, "Default webhook URL changed", { set: { summary: "Changed", value: { url } } }),
    codes: [...scopedCodes, "VALIDATION_ERROR", "INVALID_CALLBACK_URL"],
    fault: { path: "url", message: "This field is required" }
  }),
  rotateWebhookSecret: post("/v2/webhook/secret/rotate", {
    scopes: ["configure"],
    summary: "Rotate the webhook secret",
    description: "The new secret is shown this once. During the overlap `webhook-signature` has one signature under "
      + "each secret; `X-Service-Signature` is under the new one.",
    body: optionalFields(RotateRequest, {
      hour: { summary: "Both are good for an hour", value: { overlapSeconds: 3600 } }
    }),
    success: ok(RotatedSecret, "Webhook secret rotated; the new one is shown this once", {
      rotated: {
        summary: "Both are good for a day",
        value: {
          secret: "whsec_T05MWSBBTiBFWEFNUExFLCBOT1QgQSBTRUNSRVQhISE=",
          effectiveAt: "2026-11-22T00:03:25.799Z",
          previousExpiresAt: "2026-11-23T00:03:25.799Z"
        }
      }
    }),
    codes: [...scopedCodes, "VALIDATION_ERROR"],
    fault: { path: "overlapSeconds", message: "Expected a value between 0 and 604800" }
  }),
  listDeliveries: get("/v2/webhook/deliveries", {
    scopes: ["read"],
    summary: "What was delivered",
    description:
      "Every attempt to call this branch back, the oldest first unless `order` is `newest`. An attempt is listed for "
      + "`JOB_RETENTION`, 90 days by default.",
    query: Schema.Struct({
      jobId: Schema.optionalKey(JobId).pipe(
        Schema.annotateKey({
          description: "Of this job alone; of a job of another branch there is nothing.",
          examples: [ids.job]
        })
      ),
      ...timeRange("the time of sending; with a status, of the outcome; with a job, always of sending"),
      status: field(literals(DeliveryOutcome.literals), "With this outcome alone."),
      order: field(Order, "Which attempts come first: the `oldest` by default, or the `newest`.")
    }).check(inOrder),
    isPaged: true,
    success: ok(Deliveries, "Deliveries", { one: { summary: "Delivered at the first attempt", value: deliveries } }),
    codes: [...scopedCodes, "VALIDATION_ERROR"],
    fault: { path: "limit", message: "Expected a whole number from 1 to 500" }
  })
} as const satisfies Record<string, BranchOperation<V2Code>>
