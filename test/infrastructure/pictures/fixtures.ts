import { readFileSync } from "node:fs"
import manifest from "../../fixtures/slips/manifest.json" with { type: "json" }

/** A picture with what is known of it; `expected` is the slip's payload, null when it holds none. */
export interface Fixture {
  readonly file: string
  readonly class: string
  readonly format: string
  readonly width: number
  readonly height: number
  readonly expected: string | null
  readonly alsoAccept?: ReadonlyArray<string>
}

export const fixtures: ReadonlyArray<Fixture> = manifest.items

export const fixtureFolder = new URL("../../fixtures/slips/", import.meta.url)

export const fixtureUrl = (file: string): URL => new URL(file, fixtureFolder)

export const readFixture = (file: string): Uint8Array => readFileSync(fixtureUrl(file))
