import { assert, describe, it } from "@effect/vitest"
import { fileURLToPath } from "node:url"
import { stabilityFrom } from "../../tools/imports/effect-stability.ts"
import { findImportProblems } from "../../tools/imports/find-problems.ts"

const world = {
  name: "sliptrail",
  stabilityOf: stabilityFrom(fileURLToPath(new URL("../../node_modules/effect", import.meta.url))),
  dependencies: new Set(["effect", "sharp", "@effect/platform-node"]),
  devDependencies: new Set(["vitest", "@effect/vitest"])
}

/** The problems of a project with these files, as `file:line reason`. */
const problemsIn = (files: Readonly<Record<string, string>>): ReadonlyArray<string> =>
  findImportProblems(new Map(Object.entries(files)), world).map(({ file, line, reason }) => `${file}:${line} ${reason}`)

const assertRefused = (file: string, source: string, why: RegExp): void => {
  const problems = problemsIn({ [file]: source })
  assert.strictEqual(problems.length, 1, problems.join("\n"))
  assert.match(problems[0] ?? "", why)
}

const assertAccepted = (file: string, source: string): void =>
  assert.deepStrictEqual(problemsIn({ [file]: source }), [])

describe("imports between layers", () => {
  it("accepts imports that point inward", () => {
    assertAccepted("domain/slip/slip.ts", `import { satang } from "../money.ts"`)
    assertAccepted("application/jobs/a.ts", `import { fold } from "../../domain/decider.ts"`)
    assertAccepted("ports/event-store.ts", `import type { Position } from "../domain/position.ts"`)
    assertAccepted("projections/jobs.ts", `import { EventStore } from "../ports/event-store.ts"`)
    assertAccepted("application/jobs/a.ts", `import { JobRow } from "../../projections/jobs.ts"`)
    assertAccepted("infrastructure/web/console/a.ts", `import { html } from "../http/html.ts"`)
    assertAccepted("infrastructure/adapters/keys/a.ts", `import { Quota } from "../../../ports/quota.ts"`)
    assertAccepted("infrastructure/adapters/keys/a.ts", `import { all } from "../../platform/settings/settings.ts"`)
    assertAccepted("infrastructure/adapters/keys/a/b.ts", `import { c } from "../c.ts"`)
    assertAccepted("infrastructure/main.ts", `import { layer } from "./runtime/layer.ts"`)
    assertAccepted("infrastructure/runtime/a.ts", `import { layer } from "../web/http/layer.ts"`)
    assertAccepted("infrastructure/runtime/a.ts", `import { layer } from "../adapters/keys/layer.ts"`)
    assertAccepted("infrastructure/commands/cli/run.ts", `import { project } from "../../../projections/projector.ts"`)
    assertAccepted("test/redis.test.ts", `import { layer } from "../infrastructure/adapters/keys/layer.ts"`)
  })

  it("refuses imports that point outward, with the line and the layers", () => {
    assertRefused(
      "domain/a.ts",
      `// first line\nimport type { B } from "../application/b.ts"`,
      /^domain\/a\.ts:2 points outward: domain imports application, application\/b\.ts$/u
    )
    assertRefused("projections/a.ts", `import { b } from "../application/b.ts"`, /projections imports application/u)
    assertRefused("ports/a.ts", `import { b } from "../projections/b.ts"`, /ports imports projections/u)
    assertRefused("sdk/webhook/a.ts", `import { b } from "../../domain/b.ts"`, /sdk imports domain/u)
    assertRefused(
      "application/a.ts",
      `import { b } from "../infrastructure/adapters/b.ts"`,
      /application imports adapter/u
    )
    assertRefused(
      "projections/a.ts",
      `import { b } from "../infrastructure/platform/settings/settings.ts"`,
      /projections imports platform/u
    )
    const outward: ReadonlyArray<readonly [file: string, target: string, why: RegExp]> = [
      ["infrastructure/platform/settings/a.ts", "../../adapters/keys/b.ts", /platform imports adapter/u],
      ["infrastructure/platform/uuid.ts", "../../domain/b.ts", /helpers imports domain/u],
      ["infrastructure/adapters/keys/a.ts", "../../web/http/b.ts", /adapter imports web/u],
      ["infrastructure/web/http/a.ts", "../../adapters/keys/b.ts", /web imports adapter/u],
      ["infrastructure/web/api/a.ts", "../../../application/b.ts", /declaration of the API imports application/u],
      ["infrastructure/web/operators/a.ts", "../http/b.ts", /operations of operators imports web/u],
      ["infrastructure/runtime/a.ts", "../commands/cli/b.ts", /runtime imports commands/u],
      ["infrastructure/runtime/a.ts", "../main.ts", /runtime imports composition root/u]
    ]
    for (const [file, target, why] of outward) assertRefused(file, `import { b } from "${target}"`, why)
  })

  it("refuses an adapter that imports another adapter", () => {
    assertRefused(
      "infrastructure/adapters/keys/a.ts",
      `import { b } from "../banks/b.ts"`,
      /adapters do not import each other: infrastructure\/adapters\/keys imports infrastructure\/adapters\/banks\/b\.ts/u
    )
    assertRefused("infrastructure/adapters/stores/redis/a.ts", `import "../sqlite/b.ts"`, /do not import each other/u)
  })

  it("refuses imports of tests and tools by product code", () => {
    assertRefused(
      "infrastructure/main.ts",
      `import { b } from "../test/support/b.ts"`,
      /composition root imports test/u
    )
    assertRefused("infrastructure/main.ts", `import { b } from "../tools/b.ts"`, /composition root imports tools/u)
    assertRefused("tools/a.ts", `import { b } from "../projections/b.ts"`, /tools imports projections/u)
  })

  it("lets benchmarks import the product and helpers of tests, and only their own tests import benchmarks", () => {
    assertAccepted(
      "bench/store/a.ts",
      `import { a } from "../../infrastructure/main.ts"\nimport "../../test/support/b.ts"`
    )
    assertAccepted("test/bench/a.test.ts", `import { a } from "../../bench/a.ts"`)
    assertRefused("test/support/a.ts", `import { a } from "../../bench/a.ts"`, /test imports benchmarks/u)
    assertRefused("infrastructure/main.ts", `import { a } from "../bench/a.ts"`, /composition root imports benchmarks/u)
    assertAccepted("tools/screenshots/main.ts", `import { a } from "../../test/e2e/a.ts"`)
    assertRefused("tools/a.ts", `import { a } from "../test/e2e/a.ts"`, /tools imports test/u)
  })

  it("lets examples import the package by its name, and no file of it", () => {
    const example = "docs/examples/receiving/a.ts"
    assertAccepted(
      example,
      `import { verify } from "sliptrail/webhook"\nimport "node:http"\nimport { b } from "./b.ts"`
    )
    assertAccepted("test/docs/a.test.ts", `import { a } from "../../docs/examples/receiving/a.ts"`)
    assertRefused(example, `import { b } from "../../../domain/b.ts"`, /examples imports domain/u)
    assertRefused(example, `import "vitest"`, /vitest is a development dependency/u)
    assertRefused("domain/a.ts", `import "../docs/examples/a.ts"`, /domain imports examples/u)
    assertRefused("test/a.test.ts", `import "sliptrail/webhook"`, /import by a relative path: sliptrail\/webhook/u)
    assertRefused("infrastructure/web/http/a.ts", `import "sliptrail/webhook"`, /import by a relative path/u)
  })

  it("finds every form of import, and none in comments or strings", () => {
    const outward = [
      `export { b } from "../application/b.ts"`,
      `export * from "../application/b.ts"`,
      `export const b = () => import("../application/b.ts")`,
      `export type B = import("../application/b.ts").B`,
      `export const b = new URL("../application/b.ts", import.meta.url)`
    ]
    for (const source of outward) assertRefused("domain/a.ts", source, /domain imports application/u)
    assertAccepted("domain/a.ts", `// import { b } from "../application/b.ts"\nexport const a = 1`)
    assertAccepted("domain/a.ts", `export const a = \`import "../application/b.ts"\``)
    assertAccepted("domain/a.ts", `export const page = new URL("../application/page.html", import.meta.url)`)
  })

  it("counts lines after text outside ASCII", () => {
    assertRefused("domain/a.ts", `export const bank = "ธนาคาร"\nimport "../application/b.ts"`, /^domain\/a\.ts:2 /u)
  })

  it("reports a file that cannot be parsed", () => {
    assertRefused("domain/a.ts", `import { from`, /^domain\/a\.ts:1 cannot be parsed/u)
  })
})

describe("packages and the platform", () => {
  it("refuses packages and node modules in the inner layers", () => {
    for (const layer of ["domain", "ports", "application", "projections"]) {
      assertRefused(`${layer}/a.ts`, `import { readFileSync } from "node:fs"`, /touches no platform: node:fs/u)
      assertRefused(`${layer}/a.ts`, `import sharp from "sharp"`, /uses no packages but effect: sharp/u)
    }
  })

  it("lets adapters import the dependencies of package.json", () => {
    assertAccepted("infrastructure/adapters/pictures/a.ts", `import sharp from "sharp"\nimport "node:fs"`)
    assertAccepted("infrastructure/web/http/a.ts", `import { NodeHttpServer } from "@effect/platform-node"`)
    assertRefused("infrastructure/adapters/pictures/a.ts", `import "fs"`, /write node:fs/u)
    assertRefused(
      "infrastructure/adapters/pictures/a.ts",
      `import "vitest/config"`,
      /vitest is a development dependency/u
    )
    assertRefused(
      "infrastructure/adapters/pictures/a.ts",
      `import "/srv/a.ts"`,
      /import by a relative path: \/srv\/a\.ts/u
    )
    assertRefused(
      "infrastructure/adapters/pictures/a.ts",
      `import "https://example.com/a.ts"`,
      /import by a relative path: https/u
    )
    assertRefused("infrastructure/adapters/pictures/a.ts", `import "left-pad"`, /package\.json does not name left-pad/u)
    assertAccepted("test/a.test.ts", `import { it } from "@effect/vitest"`)
  })
})

describe("Effect", () => {
  it("lets the domain import stable modules by named imports", () => {
    assertAccepted("domain/a.ts", `import { Result, Schema, type Option } from "effect"`)
    assertAccepted("domain/a.ts", `import * as Schema from "effect/Schema"`)
    assertRefused("domain/a.ts", `import { FileSystem } from "effect"`, /does not reach the outside world: FileSystem/u)
    assertRefused("domain/a.ts", `import { Graph } from "effect"`, /stable modules only: Graph of effect is unstable/u)
    assertRefused("domain/a.ts", `import { Nowhere } from "effect"`, /Nowhere of effect is unknown/u)
    assertRefused("domain/a.ts", `import * as Effect from "effect"`, /imports from effect by name/u)
    assertRefused("domain/a.ts", `import { Xml } from "effect/encoding"`, /Xml of effect\/encoding is experimental/u)
    assertRefused("domain/a.ts", `import { Clock } from "effect"`, /decides without Clock/u)
  })

  it("refuses modules of the outside world in application and projections", () => {
    for (const layer of ["application", "projections"]) {
      assertAccepted(`${layer}/a.ts`, `import { Effect, Stream, Graph } from "effect"`)
      for (const area of ["http", "http-api", "cli", "persistence", "crypto", "sql", "net", "observability"]) {
        assertRefused(`${layer}/a.ts`, `import { X } from "effect/${area}"`, /does not reach the outside world/u)
      }
      assertRefused(`${layer}/a.ts`, `import * as Path from "effect/Path"`, /does not reach the outside world/u)
    }
    assertAccepted("infrastructure/web/http/a.ts", `import { HttpRouter } from "effect/http"`)
  })

  it("allows effect/testing only in tests", () => {
    assertRefused(
      "infrastructure/web/http/a.ts",
      `import { TestClock } from "effect/testing"`,
      /effect\/testing is for tests/u
    )
    assertAccepted("test/a.test.ts", `import { TestClock } from "effect/testing"`)
  })
})

describe("cycles", () => {
  it("are refused at the import that closes them, with their path", () => {
    assert.deepStrictEqual(
      problemsIn({
        "domain/a.ts": `import "./b.ts"`,
        "domain/b.ts": `export const b = 1\nimport type { C } from "./c.ts"`,
        "domain/c.ts": `import "./a.ts"\nimport "./d.ts"`,
        "domain/d.ts": ``
      }),
      ["domain/c.ts:1 closes a cycle: domain/a.ts -> domain/b.ts -> domain/c.ts -> domain/a.ts"]
    )
    assert.deepStrictEqual(problemsIn({ "domain/a.ts": `import "./a.ts"` }), [
      "domain/a.ts:1 closes a cycle: domain/a.ts -> domain/a.ts"
    ])
  })

  it("are not reported when two paths lead to one file", () => {
    const files = {
      "domain/a.ts": `import "./b.ts"\nimport "./c.ts"`,
      "domain/b.ts": `import "./d.ts"`,
      "domain/c.ts": `import "./d.ts"`,
      "domain/d.ts": ``
    }
    assert.deepStrictEqual(problemsIn(files), [])
  })
})

describe("folders", () => {
  it("are refused when they import each other, also through a third", () => {
    assert.deepStrictEqual(
      problemsIn({
        "application/jobs/a.ts": `import "../callbacks/b.ts"`,
        "application/callbacks/b.ts": `export const b = 1`,
        "application/callbacks/c.ts": `import "../trail/d.ts"`,
        "application/trail/d.ts": `import "../jobs/e.ts"`,
        "application/jobs/e.ts": `export const e = 1`
      }),
      [
        "application/trail/d.ts:1 folders import each other: application/jobs -> application/callbacks -> application/trail -> application/jobs"
      ]
    )
    assert.deepStrictEqual(
      problemsIn({
        "infrastructure/web/console/a.ts": `import "../shop/b.ts"`,
        "infrastructure/web/shop/b.ts": `export const b = 1`,
        "infrastructure/web/shop/c.ts": `import "../console/d.ts"`,
        "infrastructure/web/console/d.ts": `export const d = 1`
      }),
      [
        "infrastructure/web/shop/c.ts:1 folders import each other: infrastructure/web/console -> infrastructure/web/shop -> infrastructure/web/console"
      ]
    )
  })
})
