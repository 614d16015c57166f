import { readFileSync } from "node:fs"
import manifest from "../../fixtures/slips/manifest.json" with { type: "json" }

/** `expected` is the payload of the slip; null for a picture without a slip. */
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

export const readFixture = (file: string): Uint8Array => readFileSync(new URL(file, fixtureFolder))
