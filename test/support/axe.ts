import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { Page } from "playwright-core"

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

/** Violations of WCAG 2.2 AA that axe finds, contrast included: the rule, then an explanation for each element. */
export const accessibilityFaults = (page: Page) =>
  Effect.promise(async () => {
    // The debugger runs scripts that the content security policy refuses.
    await page.evaluate(axe)
    const found: ReadonlyArray<ReadonlyArray<string>> = await page.evaluate(
      "axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'], resultTypes: ['violations'] })"
        + ".then(({ violations }) => violations.map(({ id, nodes }) => [id, ...nodes.map(({ html, failureSummary }) => html + ' ' + failureSummary)]))"
    )
    return found
  })
