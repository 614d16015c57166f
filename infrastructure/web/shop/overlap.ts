import { Effect } from "effect"
import { invalid } from "../input/decode.ts"
import type { Html } from "../pages/html.ts"
import { choiceView } from "./components.ts"
import type { ShopContext } from "./page-context.ts"

/** Seconds for which a replaced key or secret works too. */
const overlaps = ["0", "3600", "86400", "604800"] as const

const DEFAULT_OVERLAP = "86400"

export const overlapField = (context: ShopContext, label: string, hint: string): Html =>
  choiceView(context, {
    name: "overlapSeconds",
    label,
    hint,
    value: DEFAULT_OVERLAP,
    options: overlaps.map((seconds) => [seconds, context.messages.settings.webhook.overlaps[seconds]])
  })

/** The seconds that the form chose. */
export const overlapIn = ({ fields }: ShopContext) => {
  const chosen = overlaps.find((seconds) => seconds === fields["overlapSeconds"])
  return chosen === undefined
    ? Effect.fail(invalid({ path: "overlapSeconds", message: "Expected one of the times" }))
    : Effect.succeed(Number(chosen))
}
