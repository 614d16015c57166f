import { assert, describe, it } from "@effect/vitest"
import { scaleOf } from "../../../../infrastructure/web/pages/plot-scale.ts"
import { linePlot, type Plot, stackedBars } from "../../../../infrastructure/web/pages/plots.ts"
import { sparkline, useBar } from "../../../../infrastructure/web/pages/small-plots.ts"

const plot = (series: Plot["series"], more: Partial<Plot> = {}): Plot => ({
  id: "hours",
  title: "Verifications per hour",
  description: "Most were at 13:00.",
  points: [{ name: "12:00", tick: "12" }, { name: "13:00" }, { name: "14:00" }],
  series,
  format: (value) => `${value} pcs`,
  texts: { point: "Hour", table: "Numbers", empty: "No data" },
  ...more
})

const count = (html: string, part: string): number => html.split(part).length - 1

describe("a scale", () => {
  it("ends at a round number from the highest value on", () => {
    const ends = [[], [0], [1], [2], [3], [5], [7], [10], [11], [999], [1_000], [1_001], [61_234]].map((values) =>
      scaleOf(values).max
    )
    assert.deepStrictEqual(ends, [1, 1, 1, 2, 4, 6, 8, 10, 20, 1_000, 1_000, 2_000, 80_000])
  })

  it("has whole numbers as ticks for counts", () => {
    for (let value = 1; value < 3_000; value++) {
      const { max, ticks } = scaleOf([null, value])
      assert.isTrue(max >= value && ticks.every(Number.isInteger), String(value))
    }
  })
})

describe("stacked bars", () => {
  it("differ in more than colour, and leave out what is 0", () => {
    const { html } = stackedBars(plot([
      { name: "verified", values: [4, 0, 2] },
      { name: "duplicate", values: [1, 0, 0] },
      { name: "failed", values: [1, null, 0] }
    ]))
    // Once in the legend.
    assert.strictEqual(count(html, 'class="plot-bar-1"'), 3)
    assert.strictEqual(count(html, 'class="plot-bar-2" fill="url(#hours-hatch)"'), 2)
    assert.strictEqual(count(html, 'class="plot-bar-3"'), 2)
    assert.strictEqual(count(html, '<pattern id="hours-hatch"'), 1)
  })

  it("stand on each other and end below the top of the plot", () => {
    const { html } = stackedBars(plot([{ name: "a", values: [6, 1, 1] }, { name: "b", values: [4, 0, 0] }]))
    assert.include(html, 'y="74" height="96"')
    assert.include(html, 'y="10" height="64"')
  })

  it("show a single failure among many verifications", () => {
    const { html } = stackedBars(plot([{ name: "a", values: [100_000, 0, 0] }, { name: "b", values: [1, 0, 0] }]))
    assert.include(html, 'height="2"')
  })

  it("have no inline style, and escape names", () => {
    const { html } = stackedBars(plot([{ name: "<script>", values: [1, 1, 1] }], { title: 'a "title"' }))
    assert.notInclude(html, "style=")
    assert.notInclude(html, "<script>")
    assert.include(html, "a &quot;title&quot;")
  })

  it("have a name, a description and a table with the same numbers", () => {
    const { html } = stackedBars(
      plot([{ name: "verified", values: [4, null, 2] }], {
        columns: [{ name: "baht", cells: ["9.00", "0.00", "1.00"] }]
      })
    )
    assert.include(html, 'role="img" aria-labelledby="hours-caption hours-about"')
    assert.include(html, '<desc id="hours-about">Most were at 13:00.</desc>')
    for (const cell of ["12:00", "4 pcs", "–", "9.00", "baht"]) assert.include(html.split("<table>")[1] ?? "", cell)
  })

  it("become a sentence without any value", () => {
    for (const values of [[0, 0, 0], [null, null, null], []]) {
      const { html } = stackedBars(plot([{ name: "verified", values }]))
      assert.include(html, "No data")
      assert.notInclude(html, "<svg")
    }
  })
})

describe("a plot of lines", () => {
  const pathsOf = (html: string): ReadonlyArray<string> =>
    [...html.matchAll(/ d="([^"]*)"/gu)].map(([, path = ""]) => path)

  it("interrupts a line where there is no data", () => {
    const points = [1, 2, 3, 4, 5].map((name) => ({ name: String(name) }))
    const [path = ""] = pathsOf(linePlot(plot([{ name: "p95", values: [10, 5, null, 0, 10] }], { points })).html)
    assert.strictEqual(path, "M10 10L30 90M70 170L90 10")
  })

  it("marks a value without neighbours with a dot", () => {
    const { html } = linePlot(plot([{ name: "p95", values: [null, 10, null] }]))
    assert.strictEqual(count(html, "<circle"), 1)
    assert.include(html, 'cx="50%" cy="10"')
  })
})

describe("small plots", () => {
  it("draw a sparkline from 0 to the highest value", () => {
    const { html } = sparkline("rising", [0, 5, 10])
    assert.include(html, 'd="M0 30L50 16L100 2"')
    assert.include(html, 'aria-label="rising"')
  })

  it("draw a sparkline without or with one value", () => {
    assert.include(sparkline("none", []).html, 'd=""')
    assert.include(sparkline("none", [null, 0]).html, 'd="M100 30h0"')
  })

  it("draw use within its limit, and warn in the last tenth", () => {
    const partOf = (used: number, limit: number) => useBar("use", used, limit).html
    assert.include(partOf(1, 4), 'width="25%"')
    assert.notInclude(partOf(89, 100), "plot-use-full")
    assert.include(partOf(90, 100), "plot-use-full")
    for (const html of [partOf(500, 100), partOf(0, 0)]) {
      assert.include(html, 'class="plot-use-part" x="0" y="2" width="100%"')
    }
  })
})
