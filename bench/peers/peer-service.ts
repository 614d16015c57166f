import { Result } from "effect"
import fastify, { type FastifyInstance } from "fastify"
import { createHash, randomUUID } from "node:crypto"
import { rawSlip } from "../../application/verification/verification-view.ts"
import { toBaht } from "../../domain/money.ts"
import { parseSlipPayload } from "../../domain/slip/payload.ts"
import { parseTransRef } from "../../infrastructure/adapters/banks/sandbox/sandbox-slip.ts"
import { sandboxTransfer } from "../../infrastructure/adapters/banks/sandbox/sandbox-transfer.ts"

/** A verification as a peer stores it. */
export interface PeerVerification {
  /** SHA-256 of the caller's API key, in hex. */
  readonly keyDigest: string
  readonly verificationId: string
  readonly sendingBank: string
  readonly transRef: string
  /** The bank's answer, as JSON. */
  readonly transfer: string
}

export type PeerOutcome = "first" | "duplicate" | "unknown-key" | "quota-exceeded"

/** The stores of a peer: checks the key, the duplicate and the quota, and stores the verification durably. */
export interface PeerStore {
  readonly record: (verification: PeerVerification) => PeerOutcome | Promise<PeerOutcome>
  readonly close: () => void | Promise<void>
}

const payloadSchema = {
  type: "object",
  required: ["payload"],
  properties: { payload: { type: "string", minLength: 1 } }
} as const

/**
 * A verification service as a user would write it with fastify: the wire format of `POST /v2/verify/bank`, the sandbox
 * bank in the process, and one table. It keeps no trail and encrypts nothing.
 */
export const makePeerService = (store: PeerStore): FastifyInstance => {
  const app = fastify({ keepAliveTimeout: 65_000 })
  app.addHook("onClose", () => store.close())
  app.post<{ readonly Body: { readonly payload: string } }>(
    "/v2/verify/bank",
    { schema: { body: payloadSchema } },
    async (request, reply) => {
      const key = /^bearer +(\S+)$/iu.exec(request.headers.authorization ?? "")?.[1]
      if (key === undefined) return reply.code(401).send(refusal("MISSING_API_KEY"))
      const parsed = parseSlipPayload(request.body.payload)
      if (Result.isFailure(parsed)) return reply.code(400).send(refusal("INVALID_PAYLOAD"))
      const { sendingBank, transRef } = parsed.success
      const ref = parseTransRef(transRef)
      if (ref?.outcome !== "found") return reply.code(404).send(refusal("SLIP_NOT_FOUND"))
      const transfer = sandboxTransfer(ref, sendingBank, transRef)
      const verificationId = randomUUID()
      const keyDigest = createHash("sha256").update(key).digest("hex")
      const outcome = await store.record({
        keyDigest,
        verificationId,
        sendingBank,
        transRef,
        transfer: JSON.stringify(transfer)
      })
      if (outcome === "unknown-key") return reply.code(401).send(refusal("INVALID_API_KEY"))
      if (outcome === "quota-exceeded") return reply.code(403).send(refusal("QUOTA_EXCEEDED"))
      return {
        success: true,
        data: {
          isDuplicate: outcome === "duplicate",
          amountInSlip: toBaht(transfer.amount),
          matchedAccount: null,
          rawSlip: rawSlip(request.body.payload, transfer),
          verificationId
        },
        message: "Bank slip verified"
      }
    }
  )
  return app
}

const refusal = (code: string) => ({ success: false, error: { code } })
