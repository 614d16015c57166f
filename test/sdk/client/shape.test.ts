import { assert, describe, expectTypeOf, it } from "@effect/vitest"
import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type * as views from "../../../application/views/slip.ts"
import type { CallbackBody } from "../../../infrastructure/web/api/responses/job.ts"
import type { Job, Slip, SlipTrail, VerifyBankData, VerifyWalletData } from "../../../sdk/client/sliptrail.ts"
import type { Callback } from "../../../sdk/webhook/callback.ts"

const root = new URL("../../../", import.meta.url)

/** The files that an import of a module loads, including the module. Imports of types are left out. */
const loadedBy = (path: string): ReadonlyArray<string> => {
  const found = new Set<string>()
  const load = (url: URL): void => {
    if (found.has(url.href) || !existsSync(url)) return
    found.add(url.href)
    const source = readFileSync(url, "utf8")
    for (const [, specifier = ""] of source.matchAll(/^(?:import|export) (?!type )[^"]*? from "([^"]+)"/gmu)) {
      assert.match(specifier, /^\.\.?\//u, `${url.href} imports a package`)
      load(new URL(specifier, url))
    }
  }
  load(new URL(path, root))
  return [...found].map((href) => fileURLToPath(href).slice(fileURLToPath(root).length)).toSorted()
}

describe("sliptrail/client", () => {
  it("is exported by package.json, and loads no file of the service", () => {
    const { exports }: { readonly exports: Readonly<Record<string, string>> } = JSON.parse(
      readFileSync(new URL("package.json", root), "utf8")
    )
    assert.deepStrictEqual(loadedBy(exports["./client"] ?? ""), [
      "sdk/client/api.ts",
      "sdk/client/request.ts",
      "sdk/client/sliptrail.ts",
      "sdk/client/types.ts"
    ])
  })

  it("has the types of the declaration, also for callbacks", () => {
    expectTypeOf<typeof CallbackBody.Type>().toExtend<Callback<VerifyBankData | VerifyWalletData>>()
    expectTypeOf<VerifyBankData>().branded.toEqualTypeOf<views.VerifyBankData>()
    expectTypeOf<VerifyWalletData>().branded.toEqualTypeOf<views.VerifyWalletData>()
    const job = (client: SlipTrail) => client.job("7e9e1ae8-2e1e-4eb5-97f2-54a8af831d1d")
    expectTypeOf<Awaited<ReturnType<typeof job>>>().toEqualTypeOf<Job>()
    expectTypeOf<Extract<Job<VerifyWalletData>, { readonly status: "success" }>["data"]>()
      .toEqualTypeOf<VerifyWalletData>()
    expectTypeOf<Extract<Job, { readonly status: "success" }>["data"]>().toEqualTypeOf<VerifyBankData>()
  })

  it("accepts exactly one slip", () => {
    expectTypeOf<{ readonly payload: string }>().toExtend<Slip>()
    expectTypeOf<{ readonly image: Blob; readonly matchAmount: number }>().toExtend<Slip>()
    expectTypeOf<{ readonly remark: string }>().not.toExtend<Slip>()
    expectTypeOf<{ readonly payload: string; readonly url: string }>().not.toExtend<Slip>()
    expectTypeOf<{ readonly payload: number }>().not.toExtend<Slip>()
  })
})
