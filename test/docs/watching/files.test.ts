import { assert, describe, it } from "../../support/it.ts"
import { existsSync } from "node:fs"
import { everySetting } from "../../../infrastructure/platform/settings/settings.ts"
import { run } from "../../support/in-process.ts"
import { alerts, dashboard, guide, rules, runbooks } from "./operations.ts"

const folder = new URL("../../../docs/operations/", import.meta.url)

/** Names in capitals that are not settings. */
const OTHERS = new Set(["API_SERVER_ERROR", "INTERNAL_SERVER_ERROR", "MALLOC_ARENA_MAX", "REQUEST_ID"])

const pages = [
  ...[...runbooks].map(([name, text]) => [`runbooks/${name}.md`, text] as const),
  ["README.md", guide] as const
]

describe("alerts", () => {
  it("are valid Prometheus rules", () => {
    for (const group of rules.groups) {
      assert.hasAllKeys(group, ["name", "rules"])
      for (const rule of group.rules) {
        assert.containsAllKeys(rule, ["alert", "expr", "labels", "annotations"], rule.alert)
        assert.isEmpty(
          Object.keys(rule).filter((key) => !["alert", "expr", "for", "labels", "annotations"].includes(key))
        )
        assert.match(rule.alert, /^[A-Z][A-Za-z]+$/u)
        assert.match(rule.for ?? "0m", /^\d+[smhd]$/u, rule.alert)
        assert.include(["page", "ticket"], rule.labels["severity"], rule.alert)
        assert.hasAllKeys(rule.annotations, ["summary", "description", "runbook"], rule.alert)
      }
    }
    const names = [...rules.groups.map(({ name }) => name), ...alerts.map(({ alert }) => alert)]
    assert.strictEqual(new Set(names).size, names.length)
  })

  it("have one runbook each, and every runbook has an alert", () => {
    assert.sameMembers([...runbooks.keys()], alerts.map(({ alert }) => alert))
    for (const { alert, annotations } of alerts) {
      assert.strictEqual(annotations["runbook"], `docs/operations/runbooks/${alert}.md`)
    }
  })
})

describe("runbooks", () => {
  it.each([...runbooks])("%s has the sections effect, check, fix and escalate", (name, text) => {
    const headings = [...text.matchAll(/^#+ .*$/gmu)].map(([heading]) => heading)
    assert.deepStrictEqual(headings, [`# ${name}`, "## Effect on merchants", "## Check", "## Fix", "## Escalate"])
    for (const part of text.split(/^#+ .*$/gmu).slice(1)) assert.isAbove(part.trim().length, 2)
  })

  it.effect("name existing commands and options", function* () {
    const named = new Set(
      pages.flatMap(([, text]) =>
        [...text.matchAll(/`(?:npx )?sliptrail ([^`]+)`/gu)].map(([, command = ""]) => command)
      )
    )
    assert.isAbove(named.size, 15)
    for (const command of named) {
      const words = /^[a-z -]*?(?= -| [^a-z]|$)/u.exec(command)?.[0] ?? ""
      const { code, stdout } = yield* run([...words.split(" "), "--help"])
      assert.strictEqual(code, 0, command)
      const [, usage = "", argument = ""] = /^USAGE\n {2}sliptrail ([a-z -]+?) ?([[<].*)?$/mu.exec(stdout) ?? []
      assert.isTrue(
        words === usage || (words.startsWith(`${usage} `) && argument.includes("<name>")),
        `${command}: ${usage}`
      )
      for (const [option] of command.matchAll(/--[a-z-]+/gu)) {
        assert.include(stdout, option, command)
      }
    }
  })

  it("name existing settings", () => {
    const known = new Set<string>([...everySetting.map(({ name }) => name), ...OTHERS])
    for (const [page, text] of pages) {
      for (const [name] of text.matchAll(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/gu)) {
        assert.isTrue(known.has(name), `${page}: ${name}`)
      }
    }
  })

  it("link to existing pages", () => {
    for (const [page, text] of pages) {
      for (const [, target = ""] of text.matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/gu)) {
        assert.isTrue(existsSync(new URL(target, new URL(page, folder))), `${page}: ${target}`)
      }
    }
  })
})

describe("the dashboard", () => {
  it("can be imported: its data source is a variable", () => {
    const variables = new Map(dashboard.templating.list.map(({ name, type }) => [name, type]))
    assert.deepStrictEqual([...variables], [["datasource", "datasource"], ["instance", "query"]])
    for (const { datasource, targets, title } of dashboard.panels) {
      if (targets !== undefined) assert.deepStrictEqual(datasource, { type: "prometheus", uid: "${datasource}" }, title)
    }
    assert.isAtLeast(dashboard.schemaVersion, 36)
  })

  it("has a description and a unit for every panel", () => {
    for (const { description, fieldConfig, title, type } of dashboard.panels) {
      if (type === "row") continue
      assert.isNotEmpty(description ?? "", title)
      assert.isNotEmpty(fieldConfig?.defaults.unit ?? "", title)
    }
  })

  it("has panels in every row, without overlaps", () => {
    const rows = dashboard.panels.filter(({ type }) => type === "row").map(({ title }) => title)
    assert.deepStrictEqual(rows, [
      "At a glance",
      "Traffic",
      "Latency",
      "Outcomes",
      "Quota",
      "Banks",
      "Jobs and callbacks",
      "Projections and the log",
      "Process"
    ])
    const occupied = new Set<string>()
    for (const { gridPos: { h, w, x, y }, title } of dashboard.panels) {
      assert.isAtMost(x + w, 24, title)
      for (let row = y; row < y + h; row++) {
        for (let column = x; column < x + w; column++) {
          assert.isFalse(occupied.has(`${row}/${column}`), title)
          occupied.add(`${row}/${column}`)
        }
      }
    }
    const ids = dashboard.panels.map(({ id }) => id)
    assert.strictEqual(new Set(ids).size, ids.length)
  })
})
