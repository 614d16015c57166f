import { Effect } from "effect"
import type { SlipQuestion } from "../../../../ports/bank-gateway.ts"
import { concernsGateway, evidenceOf, foundAnswer, readJson } from "../upstream/answer.ts"
import { type BankAnswer, type GatewayFailure, slipFailed } from "../upstream/gateway.ts"
import type { UpstreamResponse } from "../upstream/https-client.ts"
import { type Fields, fieldsOf, readSlipData, textOf } from "../upstream/slip-data.ts"
import { countOf } from "../upstream/vendor-account.ts"
import { meaningsOf, notAccepted, vendorFailure } from "../upstream/vendor-answer.ts"
import type { Vendor } from "../upstream/vendor-gateway.ts"

export const vendor: Vendor = { name: "rdcw", title: "RDCW", prefix: "RDCW" }

/** "No data from the bank": no such transfer, or no answer of the bank. */
const NOT_FOUND = "2006"

/** Codes of RDCW without a definite answer (docs/banks.md, "RDCW"). */
const meanings = meaningsOf(
  // Those below 1000 and above 10000 are of version 1 of the API.
  ["1000 1004 1005 1006 0 10001 10002", notAccepted("RDCW does not accept the question")],
  ["1001 1002", {
    refusal: "key",
    why: "the credentials are refused; check RDCW_CLIENT_ID and RDCW_CLIENT_SECRET"
  }],
  ["1003 40000", {
    refusal: "ip",
    why: "the address of this server is not allowed; add it in RDCW's dashboard"
  }],
  ["1007 21001", { refusal: "quota", why: "no questions are left in the package; buy more" }],
  ["1008", { refusal: "account", why: "the subscription has expired; renew it at RDCW" }],
  ["2001 2002 2003 2004 2005 20001 20002", {
    concerns: "slip",
    why: "the bank behind RDCW gave no answer",
    retryAfterSeconds: 60
  }]
)

/** Reads RDCW's response to a question about a slip. `now` in milliseconds since 1970. */
export const readRdcwAnswer = (
  response: UpstreamResponse,
  question: SlipQuestion,
  now: number
): Effect.Effect<BankAnswer, GatewayFailure> => {
  const body = fieldsOf(readJson(response.text))
  const code = textOf(body["code"])
  const { valid } = body
  if (concernsGateway(response.status)) return Effect.fail(vendorFailure(vendor, response, now, code, meanings))
  if (code === NOT_FOUND || (code === "" && valid === false)) {
    return isAbout(body["discriminator"], question)
      ? Effect.succeed({
        answer: { _tag: "NotFound", isWeak: true },
        upstream: evidenceOf(response),
        ...readPackage(body)
      })
      : Effect.fail(slipFailed("RDCW answered about another slip", evidenceOf(response)))
  }
  if (code !== "" || valid !== true) return Effect.fail(vendorFailure(vendor, response, now, code, meanings))
  const data = fieldsOf(body["data"])
  // Version 1 of the API wraps the answer of the bank.
  return Effect.map(
    foundAnswer(vendor.title, readSlipData(data["data"] ?? data, question), response),
    (answer) => ({ ...answer, ...readPackage(body) })
  )
}

/** A refusal names the slip in one field only, and not always. */
const isAbout = (discriminator: unknown, { sendingBank, transRef }: SlipQuestion): boolean => {
  const text = textOf(discriminator)
  return text === "" || text === `${sendingBank}.${transRef}`
}

/** What the answer states about the package: the price of the question, and what is left. */
const readPackage = (body: Fields): Pick<BankAnswer, "account" | "isCharged"> => {
  const quota = fieldsOf(body["quota"])
  const [cost, usage, limit] = [quota["cost"], quota["usage"], quota["limit"]].map(countOf)
  const isPostpaid = fieldsOf(body["subscription"])["postpaid"] === true
  return {
    ...(cost === undefined ? {} : { isCharged: cost > 0 }),
    ...(usage === undefined || limit === undefined
      ? {}
      : { account: { remaining: isPostpaid ? null : Math.max(limit - usage, 0), limit, expiresAt: null } })
  }
}
