import { Effect, Layer } from "effect"
import { SlipIntake } from "../../application/jobs/enqueue-slips.ts"
import { endpoints, routeNamespace } from "../http/endpoint.ts"
import type { Envelope } from "../http/reply.ts"
import { markup } from "../pages/html.ts"
import { sendHtml } from "../pages/respond.ts"
import type { SessionLimits } from "../pages/session-limits.ts"

/** The content of an answer outside the pages. */
interface Notice {
  readonly status: number
  readonly thai: string
  readonly english: string
}

/** Answers outside the pages: unknown methods and paths, and unexpected errors. The language is not known here. */
const shopEnvelope: Envelope<Notice, never> = {
  reply: (never) => never,
  error: ({ english, status, thai }, { headers = {}, requestId }) =>
    sendHtml(
      markup`<!doctype html>
<html lang="th">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>SlipTrail</title></head>
<body><main><h1>${thai}</h1><p lang="en">${english}</p><p>X-Request-Id: <code>${requestId}</code></p>
<p><a href="/app">SlipTrail</a></p></main></body>
</html>`,
      status,
      { requestId, answerHeaders: headers }
    ),
  notFound: { status: 404, thai: "ไม่พบหน้านี้", english: "Page not found" },
  unexpected: {
    status: 500,
    thai: "เกิดข้อผิดพลาดที่ไม่คาดคิด แจ้งรหัสนี้กับผู้ดูแลระบบ",
    english: "An unexpected error occurred. Give this id to the operator of the service."
  },
  repeated: (header) => ({
    status: 400,
    thai: `คำขอมีเฮดเดอร์ ${header} ซ้ำ ส่งเพียงครั้งเดียว`,
    english: `The request has several ${header} headers. Send one.`
  })
}

const route = endpoints(shopEnvelope)

/** Loaded with the first request, so that a process whose page is not used does not pay for it. */
const load = Effect.promise(() => import("./app.ts"))

/** The shop's page, where a branch checks slips by hand. */
export const layerShop = (limits: SessionLimits) =>
  Layer.unwrap(Effect.gen(function* () {
    const app = yield* Effect.cached(Effect.flatMap(load, ({ makeApp }) => makeApp(limits)))
    return Layer.merge(
      route("GET", "/app/*", (exchange) => Effect.flatMap(app, ({ get }) => get(exchange))),
      route("POST", "/app/*", (exchange) => Effect.flatMap(app, ({ post }) => post(exchange)))
    )
  })).pipe(Layer.provide(SlipIntake.layer))

/** Paths below `/app` without a route, in a process that has the shop's page. */
export const shopNamespace = routeNamespace("/app", shopEnvelope)
