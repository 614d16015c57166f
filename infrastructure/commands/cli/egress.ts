import { Console, Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { Egress } from "../../../ports/egress.ts"
import { layerEgressOf } from "../../runtime/external-layers.ts"
import { readSettings } from "../../platform/settings/settings.ts"
import { answerIsNo } from "./exit.ts"
import { jsonFlag, switchFlag } from "./flags.ts"
import { print, printJson } from "./output.ts"
import { withoutAdminOperation } from "./target.ts"

const check = Command.make(
  "check",
  {
    url: Argument.String("url").pipe(Argument.withDescription("The URL, as a caller would send it")),
    httpsOnly: switchFlag("https-only", "Check it as a callback URL, which must be https; default as an image URL"),
    json: jsonFlag
  },
  Effect.fnUntraced(function* ({ httpsOnly, json, url }) {
    const settings = yield* readSettings
    const schemes = httpsOnly ? ["https"] as const : ["http", "https"] as const
    const result = yield* Effect.gen(function* () {
      return yield* Effect.result((yield* Egress).check(url, schemes, "cli"))
    }).pipe(Effect.provide(layerEgressOf(settings)))

    if (result._tag === "Failure") {
      const { detail, reason } = result.failure
      if (json) yield* printJson({ url, isAllowed: false, reason, detail })
      return yield* answerIsNo(`${url} is refused (${reason}): ${detail}`)
    }
    const addresses = result.success
    yield* print(
      json,
      { url, isAllowed: true, addresses },
      () => Console.log(`${url} is allowed, at ${addresses.join(", ")}`)
    )
  })
).pipe(
  Command.withDescription("Check whether the service may fetch or call a URL, and at which addresses"),
  withoutAdminOperation(
    "nothing",
    "it uses the settings and the DNS of this machine: run it on the machine of the service"
  )
)

export const egress = Command.make("egress").pipe(
  Command.withDescription("Outgoing requests to addresses that callers choose"),
  Command.withSubcommands([check])
)
