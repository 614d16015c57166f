import { Effect, Layer } from "effect"
import { SlipIntake } from "../../../application/jobs/enqueue-slips.ts"
import { endpoints, routeNamespace } from "../http/server/endpoint.ts"
import { siteEnvelope } from "../http/sites/site-envelope.ts"
import type { SessionLimits } from "../pages/signed-sessions.ts"

const shopEnvelope = siteEnvelope("/app", {
  language: "th",
  notFound: { status: 404, message: "ไม่พบหน้านี้", english: "Page not found" },
  unexpected: {
    status: 500,
    message: "เกิดข้อผิดพลาดที่ไม่คาดคิด แจ้งรหัสนี้กับผู้ดูแลระบบ",
    english: "An unexpected error occurred. Give this id to the operator of the service."
  },
  repeated: (header) => ({
    status: 400,
    message: `คำขอมีเฮดเดอร์ ${header} ซ้ำ ส่งเพียงครั้งเดียว`,
    english: `The request has several ${header} headers. Send one.`
  })
})

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
