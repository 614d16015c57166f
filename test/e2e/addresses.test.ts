import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { layerRunningService, RunningService } from "../support/service.ts"

/** What a branch with this whitelist is answered when the header says so. */
const asked = Effect.fnUntraced(function* (ipWhitelist: ReadonlyArray<string>, forwardedFor?: string) {
  const { call, createBranch } = yield* RunningService
  const { apiKey } = yield* createBranch((yield* theService).id, { ipWhitelist })
  const headers = forwardedFor === undefined ? {} : { headers: { "x-forwarded-for": forwardedFor } }
  const { error, status } = yield* call("GET", "/v2/info", { key: apiKey, ...headers })
  return error?.code ?? status
})

const theService = Effect.gen(function* () {
  const { admin, createService } = yield* RunningService
  const { data } = yield* admin<{ readonly items: ReadonlyArray<{ readonly id: string }> }>("GET", "/services?limit=1")
  const [first] = data.items
  return first ?? (yield* createService())
})

layer(layerRunningService(), { excludeTestServices: true })("a caller's address", (it) => {
  const whitelists = [
    [["*"], 200],
    [["127.0.0.1"], 200],
    [["203.0.113.7", "127.0.0.1"], 200],
    [["127.0.0.0/8"], 200],
    [["::ffff:127.0.0.1"], 200],
    [["::ffff:127.0.0.0/104"], 200],
    [["0.0.0.0/0"], 200],
    [["127.0.0.2"], "IP_NOT_ALLOWED"],
    [["127.0.0.0/32"], "IP_NOT_ALLOWED"],
    [["::1"], "IP_NOT_ALLOWED"],
    [["::/0"], "IP_NOT_ALLOWED"],
    [["10.0.0.0/8", "2001:db8::/32"], "IP_NOT_ALLOWED"]
  ] as const
  for (const [whitelist, expected] of whitelists) {
    it.effect(`127.0.0.1 under the whitelist ${whitelist.join(", ")}: ${expected}`, () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* asked(whitelist), expected)
      }))
  }

  it.effect("is not what the caller says it is", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* asked(["203.0.113.7"], "203.0.113.7"), "IP_NOT_ALLOWED")
      assert.strictEqual(yield* asked(["127.0.0.1"], "203.0.113.7"), 200)
    }))
})

layer(layerRunningService({ TRUSTED_PROXIES: "127.0.0.1, 10.0.0.0/8" }), { excludeTestServices: true })(
  "a caller's address behind trusted proxies",
  (it) => {
    const headers = [
      ["203.0.113.7", 200, "what the proxy says"],
      ["198.51.100.1", "IP_NOT_ALLOWED", "what the proxy says"],
      ["203.0.113.7, 198.51.100.1", "IP_NOT_ALLOWED", "not what the caller wrote in front of it"],
      ["198.51.100.1, 203.0.113.7", 200, "the last one that no trusted proxy is"],
      ["198.51.100.1, 203.0.113.7, 10.1.2.3", 200, "behind a second proxy"],
      ["198.51.100.1,203.0.113.7,::ffff:10.1.2.3", 200, "behind a second proxy in IPv6 clothes"],
      ["::ffff:203.0.113.7", 200, "IPv4 in IPv6 clothes"],
      ["203.0.113.7, nonsense", "IP_NOT_ALLOWED", "nobody where the proxy says nonsense"],
      ["nonsense", "IP_NOT_ALLOWED", "nobody where the proxy says nonsense"],
      ["203.0.113.7, ", "IP_NOT_ALLOWED", "the proxy's own where it says nothing"],
      ["", "IP_NOT_ALLOWED", "the proxy's own where it says nothing"],
      [undefined, "IP_NOT_ALLOWED", "the proxy's own where it says nothing"]
    ] as const
    for (const [header, expected, title] of headers) {
      it.effect(`is ${title}: ${JSON.stringify(header)} gives ${expected}`, () =>
        Effect.gen(function* () {
          assert.strictEqual(yield* asked(["203.0.113.7"], header), expected)
        }))
    }

    it.effect("is the first proxy's when there are only proxies", () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* asked(["10.9.9.9"], "10.9.9.9, 10.1.2.3"), 200)
      }))
  }
)
