import { Console, Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { Egress } from "../../ports/egress.ts"
import { layerWayOut } from "../runtime/external-layers.ts"
import { readSettings } from "../settings/settings.ts"
import { answerIsNo } from "./exit.ts"
import { jsonFlag } from "./flags.ts"
import { print, printJson } from "./output.ts"

const check = Command.make(
  "check",
  {
    url: Argument.String("url").pipe(Argument.withDescription("As a caller would give it")),
    httpsOnly: Flag.Boolean("https-only").pipe(
      Flag.withDescription("Judge it as a callback URL, which must be https; without it as an image URL"),
      Flag.withDefault(false)
    ),
    json: jsonFlag
  },
  Effect.fnUntraced(function* ({ httpsOnly, json, url }) {
    const settings = yield* readSettings
    const schemes = httpsOnly ? ["https"] as const : ["http", "https"] as const
    const result = yield* Effect.gen(function* () {
      return yield* Effect.result((yield* Egress).check(url, schemes))
    }).pipe(Effect.provide(layerWayOut(settings)))

    if (result._tag === "Failure") {
      const { detail, reason } = result.failure
      if (json) yield* printJson({ url, isAllowed: false, reason, detail })
      return yield* answerIsNo(`${url} is refused (${reason}): ${detail}`)
    }
    const addresses = result.success
    yield* print(
      json,
      { url, isAllowed: true, addresses },
      () => Console.log(`${url} may be reached, at ${addresses.join(", ")}`)
    )
  })
).pipe(Command.withDescription("Say whether a URL would be fetched or called, at which addresses, or why not"))

export const egress = Command.make("egress").pipe(
  Command.withDescription("The way out to addresses that others choose"),
  Command.withSubcommands([check])
)
