import { readFileSync } from "node:fs"
import reduced from "../../../fixtures/reduced-slips/manifest.json" with { type: "json" }
import manifest from "../../../fixtures/slips/manifest.json" with { type: "json" }

/** `expected` is the payload of the slip; null for a picture without a slip. */
export interface Fixture {
  readonly file: string
  readonly class: string
  readonly format: string
  readonly width: number
  readonly height: number
  readonly expected: string | null
  /** The payloads of the other slips in the picture. */
  readonly others?: ReadonlyArray<string>
}

export const fixtures: ReadonlyArray<Fixture> = manifest.items

export const fixtureFolder = new URL("../../../fixtures/slips/", import.meta.url)

export const readFixture = (file: string): Uint8Array => readFileSync(new URL(file, fixtureFolder))

/** Slips as customers send them: reduced to few pixels a module, turned, cut, or written upon. */
export const reducedFixtures: ReadonlyArray<Fixture> = reduced.items

export const readReducedFixture = (file: string): Uint8Array =>
  readFileSync(new URL(`../reduced-slips/${file}`, fixtureFolder))
