import { Clock, Effect } from "effect"
import { type GatewayStatus, GatewayStatuses } from "../../../ports/gateway-status.ts"
import { type Content, dash, listTable, markup, tag } from "../pages/html.ts"
import { timeView } from "../pages/times.ts"
import type { Messages } from "./messages.ts"

/** The gateways of this process: circuit, what is left of the package, its end, and what was charged today. */
export const gatewaysSection = (messages: Messages) =>
  Effect.gen(function* () {
    const { gateways } = messages
    const statuses = yield* (yield* GatewayStatuses).all
    const now = yield* Clock.currentTimeMillis
    const isAnyCharged = statuses.some(({ chargedToday }) => chargedToday !== undefined)
    const list = listTable(gateways.title, statuses, [
      [gateways.name, ({ name }) => markup`<b>${name}</b>`],
      [gateways.state, (status) => stateOf(messages, status)],
      [gateways.left, (status) => leftOf(messages, status)],
      [gateways.end, (status) => endOf(messages, status, now)],
      [gateways.chargedToday, (status) => chargedOf(messages, status)]
    ])
    return markup`${list}${isAnyCharged ? markup`<p class="soft">${gateways.hint}</p>` : undefined}`
  })

const stateOf = ({ gateways }: Messages, { pause }: GatewayStatus): Content =>
  pause === undefined ? tag(gateways.closed, "good") : tag(gateways.paused[pause.cause], "bad")

const leftOf = ({ gateways }: Messages, { account }: GatewayStatus): Content => {
  if (account === undefined) return dash
  if (account.remaining === null) return gateways.unlimited
  return account.limit === null ? account.remaining : `${account.remaining} / ${account.limit}`
}

const endOf = (messages: Messages, { account }: GatewayStatus, now: number): Content => {
  const expiresAt = account?.expiresAt ?? null
  if (expiresAt === null) return dash
  const time = timeView(messages, new Date(expiresAt).toISOString())
  return expiresAt > now ? time : markup`${time} ${tag(messages.gateways.ended, "bad")}`
}

const chargedOf = ({ common, gateways }: Messages, { chargedToday, price }: GatewayStatus): Content => {
  if (chargedToday === undefined) return gateways.free
  return price === undefined ? chargedToday : `${chargedToday} · ${(chargedToday * price).toFixed(2)} ${common.baht}`
}
