import { Console, Effect, Layer } from "effect"
import { Command, Flag } from "effect/cli"
import { HttpServer } from "effect/http"
import { isWebhookSecret } from "../../../sdk/webhook/verify.ts"
import { testServer } from "../receiver/identity.ts"
import { answerCallbacks, formatCallback, layerReceiverServer, type ReceivedCallback } from "../receiver/server.ts"
import { visibleText } from "../../platform/visible-text.ts"
import { cannotRun } from "./exit.ts"
import { jsonFlag, optionalText } from "./flags.ts"
import { shellQuoted } from "./output.ts"
import { folderFlag, testIdentity } from "./test-identity.ts"
import { readSecretFile, withoutAdminOperation } from "./target.ts"

/** The settings with which the service sends callbacks to this receiver. */
const settingsFor = (authorityFile: string) => ({
  EGRESS_CA_FILE: authorityFile,
  EGRESS_HOSTS: `${testServer.name}=${testServer.address}`,
  EGRESS_ALLOW_CIDRS: "127.0.0.0/8"
})

const welcome = (callbackUrl: string, settings: Readonly<Record<string, string>>, secrets: number): string =>
  [
    "Start the service with these settings, so that its callbacks reach this receiver:",
    "",
    `  ${Object.entries(settings).map(([name, value]) => `${name}=${shellQuoted(value)}`).join(" ")} npm start`,
    "",
    "and use this callbackUrl:",
    "",
    `  ${callbackUrl}`,
    "",
    secrets === 0
      ? "Signatures are not checked: pass the webhook secret of the branch with --secret-file."
      : `Signatures are checked with ${secrets === 1 ? "one secret" : `${secrets} secrets`}.`,
    "Every callback is printed below when it arrives. Stop with Ctrl-C.",
    ""
  ].join("\n")

const secretsOfFile = (file: string | undefined) =>
  file === undefined
    ? Effect.succeed([])
    : Effect.map(readSecretFile("secret-file", file), (text) => text.split(/\s+/u).filter((secret) => secret !== ""))

export const receiver = Command.make(
  "receiver",
  {
    port: Flag.Int("port").pipe(Flag.withDescription("Port to listen on; 0 picks a free port"), Flag.withDefault(9443)),
    secrets: Flag.String("secret").pipe(
      Flag.withDescription(
        "Webhook secret whsec_… to check signatures with; may be repeated. Other users of this machine can see it while "
          + "the command runs: prefer --secret-file"
      ),
      Flag.atLeast(0)
    ),
    secretFile: optionalText("secret-file", "File with a webhook secret on each line, or - for the standard input"),
    answer: Flag.Int("answer").pipe(
      Flag.withDescription("Status to answer with, 200 to 599"),
      Flag.withDefault(200)
    ),
    failFirst: Flag.Int("fail-first").pipe(
      Flag.withDescription("Answer the first N callbacks of each job with 503"),
      Flag.withDefault(0)
    ),
    folder: folderFlag,
    json: jsonFlag
  },
  Effect.fnUntraced(function* ({ answer, failFirst, folder, json, port, ...flags }) {
    if (!(port >= 0 && port <= 65_535)) return yield* cannotRun(`--port: Expected 0 to 65535, got ${port}`)
    if (!(answer >= 200 && answer <= 599)) return yield* cannotRun(`--answer: Expected 200 to 599, got ${answer}`)
    if (failFirst < 0) return yield* cannotRun(`--fail-first: Expected 0 or more, got ${failFirst}`)
    const ofFile = yield* secretsOfFile(flags.secretFile)
    for (const [flag, given] of [["secret", flags.secrets], ["secret-file", ofFile]] as const) {
      if (!given.every(isWebhookSecret)) return yield* cannotRun(`--${flag}: Expected whsec_ followed by base64`)
    }
    const secrets = [...flags.secrets, ...ofFile]
    const { authorityFile, identity } = yield* testIdentity(folder)

    const printCallback = (callback: ReceivedCallback) =>
      Console.log(json ? visibleText(JSON.stringify(callback)) : formatCallback(callback))
    const service = Layer.effectDiscard(Effect.gen(function* () {
      const server = yield* HttpServer.HttpServer
      yield* HttpServer.serveEffect(answerCallbacks({ answer, failFirst, secrets }, printCallback))
      const callbackUrl = `https://${testServer.name}:${"port" in server.address ? server.address.port : port}/`
      const settings = settingsFor(authorityFile)
      const text = json ? JSON.stringify({ callbackUrl, settings }) : welcome(callbackUrl, settings, secrets.length)
      yield* Console.log(text)
    })).pipe(Layer.provide(layerReceiverServer(identity, testServer.address, port)))
    return yield* Layer.launch(service)
  })
).pipe(
  Command.withDescription("Receive callbacks on this machine for tests: prints them and checks their signatures"),
  withoutAdminOperation("nothing", "it is a server on this machine")
)
