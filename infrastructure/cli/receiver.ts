import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { ByteSize, Console, Effect, Layer } from "effect"
import { Command, Flag } from "effect/cli"
import { HttpIncomingMessage, HttpServer, HttpServerRequest, HttpServerResponse } from "effect/http"
import { createServer } from "node:https"
import { isWebhookSecret } from "../../sdk/webhook/verify.ts"
import { type Arrival, type ArrivalOptions, inWords, makeArrivals } from "../receiver/arrivals.ts"
import type { Identity } from "../receiver/certificate.ts"
import { defaultFolder, identityIn } from "../receiver/identity-folder.ts"
import { cannotRun } from "./exit.ts"
import { jsonFlag } from "./flags.ts"

/** No name of the internet: `.test` is kept free for this. */
const NAME = "receiver.test"
const ADDRESS = "127.0.0.1"
const BODY_BYTES = ByteSize.mebibytes(1)

const METHOD_NOT_ALLOWED = 405
const TOO_LARGE = 413

/** Answers every callback, and says what arrived before it does. */
const answering = (options: ArrivalOptions, say: (arrival: Arrival) => Effect.Effect<void>) => {
  const judge = makeArrivals(options)
  return Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    if (request.method !== "POST") return HttpServerResponse.empty({ status: METHOD_NOT_ALLOWED })
    const arrived = yield* Effect.option(request.arrayBuffer)
    if (arrived._tag === "None") return HttpServerResponse.empty({ status: TOO_LARGE })
    const arrival = yield* judge(new Uint8Array(arrived.value), request.headers)
    yield* say(arrival)
    return HttpServerResponse.empty({ status: arrival.answered })
  }).pipe(Effect.provideService(HttpIncomingMessage.MaxBodySize, BODY_BYTES))
}

const layerServer = ({ certificate, key }: Identity, port: number) =>
  NodeHttpServer.layerServer(
    // Whoever does not trust the certificate hangs up; that is theirs to tell.
    () => createServer({ key, cert: certificate }).on("tlsClientError", () => undefined),
    { host: ADDRESS, port, gracefulShutdownTimeout: "1 second" }
  )

const quoted = (text: string): string => /^[\w./:=-]+$/u.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`

/** What the service needs to be told so that its callbacks get here. */
const settingsFor = (authorityFile: string) => ({
  EGRESS_CA_FILE: authorityFile,
  EGRESS_HOSTS: `${NAME}=${ADDRESS}`,
  EGRESS_ALLOW_CIDRS: "127.0.0.0/8"
})

const welcome = (callbackUrl: string, settings: Readonly<Record<string, string>>, secrets: number): string =>
  [
    "Start the service with these settings, so that its callbacks get here:",
    "",
    `  ${Object.entries(settings).map(([name, value]) => `${name}=${quoted(value)}`).join(" ")} npm start`,
    "",
    "and have them sent to this callbackUrl:",
    "",
    `  ${callbackUrl}`,
    "",
    secrets === 0
      ? "Signatures are not checked: give the branch's webhook secret with --secret."
      : `Signatures are checked under ${secrets === 1 ? "one secret" : `${secrets} secrets`}.`,
    "Every callback is told below as it arrives. Ctrl-C ends this.",
    ""
  ].join("\n")

export const receiver = Command.make(
  "receiver",
  {
    port: Flag.Int("port").pipe(Flag.withDescription("Port to listen on; 0 picks a free one"), Flag.withDefault(9443)),
    secrets: Flag.String("secret").pipe(
      Flag.withDescription("Webhook secret whsec_… to check signatures with; may be repeated"),
      Flag.atLeast(0)
    ),
    answer: Flag.Int("answer").pipe(
      Flag.withDescription("Status to answer with, 200 to 599"),
      Flag.withDefault(200)
    ),
    failFirst: Flag.Int("fail-first").pipe(
      Flag.withDescription("Answer the first N arrivals of each job with 503"),
      Flag.withDefault(0)
    ),
    folder: Flag.Directory("folder").pipe(
      Flag.withDescription("Folder that keeps the certificate from start to start"),
      Flag.optional
    ),
    json: jsonFlag
  },
  Effect.fnUntraced(function* ({ answer, failFirst, folder, json, port, secrets }) {
    if (!(port >= 0 && port <= 65_535)) return yield* cannotRun(`--port ${port} is none of 0 to 65535`)
    if (!(answer >= 200 && answer <= 599)) return yield* cannotRun(`--answer ${answer} is none of 200 to 599`)
    if (failFirst < 0) return yield* cannotRun(`--fail-first ${failFirst} is less than none`)
    if (!secrets.every(isWebhookSecret)) return yield* cannotRun("--secret: Expected whsec_ and base64 behind it")
    const { authorityFile, identity } = yield* identityIn(
      folder._tag === "Some" ? folder.value : defaultFolder(),
      [NAME, "localhost", ADDRESS]
    )

    const say = (arrival: Arrival) => Console.log(json ? JSON.stringify(arrival) : inWords(arrival))
    const service = Layer.effectDiscard(Effect.gen(function* () {
      const server = yield* HttpServer.HttpServer
      yield* HttpServer.serveEffect(answering({ answer, failFirst, secrets }, say))
      const callbackUrl = `https://${NAME}:${"port" in server.address ? server.address.port : port}/`
      const settings = settingsFor(authorityFile)
      const text = json ? JSON.stringify({ callbackUrl, settings }) : welcome(callbackUrl, settings, secrets.length)
      yield* Console.log(text)
    })).pipe(Layer.provide(layerServer(identity, port)))
    return yield* Layer.launch(service)
  })
).pipe(
  Command.withDescription("Receive callbacks on this machine, to try them out: prints what arrives, checks signatures")
)
