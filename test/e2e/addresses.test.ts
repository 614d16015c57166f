import { assert, layer } from "../support/it.ts"
import { Effect } from "effect"
import { layerRunningService, RunningService } from "../support/service.ts"

/** The code or status that a branch with this whitelist gets when a request has this X-Forwarded-For header. */
const responseTo = Effect.fnUntraced(function* (ipWhitelist: ReadonlyArray<string>, forwardedFor?: string) {
  const { call, createBranch } = yield* RunningService
  const { apiKey } = yield* createBranch((yield* anyService).id, { ipWhitelist })
  const headers = forwardedFor === undefined ? {} : { headers: { "x-forwarded-for": forwardedFor } }
  const { error, status } = yield* call("GET", "/v2/info", { key: apiKey, ...headers })
  return error?.code ?? status
})

const anyService = Effect.gen(function* () {
  const { admin, createService } = yield* RunningService
  const { data } = yield* admin<{ readonly items: ReadonlyArray<{ readonly id: string }> }>("GET", "/services?limit=1")
  const [first] = data.items
  return first ?? (yield* createService())
})

layer.live(layerRunningService())("a caller's address", (it) => {
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
    it.effect(`127.0.0.1 under the whitelist ${whitelist.join(", ")}: ${expected}`, function* () {
      assert.strictEqual(yield* responseTo(whitelist), expected)
    })
  }

  it.effect("ignores X-Forwarded-For without trusted proxies", function* () {
    assert.strictEqual(yield* responseTo(["203.0.113.7"], "203.0.113.7"), "IP_NOT_ALLOWED")
    assert.strictEqual(yield* responseTo(["127.0.0.1"], "203.0.113.7"), 200)
  })
})

layer.live(layerRunningService({ TRUSTED_PROXIES: "127.0.0.1, 10.0.0.0/8" }))(
  "a caller's address behind trusted proxies",
  (it) => {
    const headers = [
      ["203.0.113.7", 200, "takes the address from the proxy"],
      ["198.51.100.1", "IP_NOT_ALLOWED", "takes the address from the proxy"],
      ["203.0.113.7, 198.51.100.1", "IP_NOT_ALLOWED", "ignores addresses that the caller put first"],
      ["198.51.100.1, 203.0.113.7", 200, "takes the last address that is not a trusted proxy"],
      ["198.51.100.1, 203.0.113.7, 10.1.2.3", 200, "skips a second trusted proxy"],
      ["198.51.100.1,203.0.113.7,::ffff:10.1.2.3", 200, "skips a second trusted proxy in IPv6 notation"],
      ["::ffff:203.0.113.7", 200, "accepts IPv4 in IPv6 notation"],
      ["203.0.113.7, nonsense", "IP_NOT_ALLOWED", "has no address when the proxy sends an invalid one"],
      ["nonsense", "IP_NOT_ALLOWED", "has no address when the proxy sends an invalid one"],
      ["203.0.113.7, ", "IP_NOT_ALLOWED", "takes the proxy's own address when the proxy sends none"],
      ["", "IP_NOT_ALLOWED", "takes the proxy's own address when the proxy sends none"],
      [undefined, "IP_NOT_ALLOWED", "takes the proxy's own address when the proxy sends none"]
    ] as const
    for (const [header, expected, title] of headers) {
      it.effect(`${title}: ${JSON.stringify(header)} leads to ${expected}`, function* () {
        assert.strictEqual(yield* responseTo(["203.0.113.7"], header), expected)
      })
    }

    it.effect("is the first proxy's address when all addresses are trusted proxies", function* () {
      assert.strictEqual(yield* responseTo(["10.9.9.9"], "10.9.9.9, 10.1.2.3"), 200)
    })
  }
)
