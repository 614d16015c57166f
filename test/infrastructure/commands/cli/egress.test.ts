import { assert, describe, it } from "../../../support/it.ts"
import { run } from "../../../support/in-process.ts"

const env = { EGRESS_HOSTS: "shop.example=93.184.216.34,inside.example=10.0.0.7" }

describe("sliptrail egress check", () => {
  it.live("prints the addresses of an allowed URL", function* () {
    assert.deepStrictEqual(yield* run(["egress", "check", "http://shop.example/slip.png"], env), {
      code: 0,
      stdout: "http://shop.example/slip.png is allowed, at 93.184.216.34",
      stderr: ""
    })
  })

  it.live("prints why a URL is refused, and exits with 1", function* () {
    const { code, stderr, stdout } = yield* run(["egress", "check", "https://inside.example"], env)
    assert.deepStrictEqual({ code, stdout }, { code: 1, stdout: "" })
    assert.match(stderr, /not-public.*inside\.example resolves to 10\.0\.0\.7/u)
    const json = yield* run(["egress", "check", "https://inside.example", "--json"], env)
    assert.strictEqual(json.code, 1)
    assert.deepInclude(JSON.parse(json.stdout), { isAllowed: false, reason: "not-public" })
  })

  it.live("uses the egress settings", function* () {
    const open = { ...env, EGRESS_ALLOW_CIDRS: "10.0.0.0/8" }
    assert.strictEqual((yield* run(["egress", "check", "https://inside.example"], open)).code, 0)
    const broken = yield* run(["egress", "check", "https://inside.example"], { EGRESS_ALLOW_CIDRS: "ten" })
    assert.strictEqual(broken.code, 2)
    assert.match(broken.stderr, /^sliptrail: EGRESS_ALLOW_CIDRS: [^\n]+$/u)
  })

  it.live("allows http for images and not for callbacks", function* () {
    const { code, stderr } = yield* run(["egress", "check", "http://shop.example", "--https-only"], env)
    assert.strictEqual(code, 1)
    assert.include(stderr, "protocol")
  })
})
