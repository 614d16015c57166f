import { readdirSync, readFileSync } from "node:fs"
import { parse } from "yaml"

const folder = new URL("../../../docs/operations/", import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, folder), "utf8")

export interface Alert {
  readonly alert: string
  readonly expr: string
  readonly for?: string
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
}

export interface Rules {
  readonly groups: ReadonlyArray<{ readonly name: string; readonly rules: ReadonlyArray<Alert> }>
}

export interface Panel {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly description?: string
  readonly fieldConfig?: { readonly defaults: { readonly unit?: string } }
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly datasource?: { readonly type: string; readonly uid: string }
  readonly targets?: ReadonlyArray<{ readonly refId: string; readonly expr: string }>
}

export interface Dashboard {
  readonly title: string
  readonly uid: string
  readonly schemaVersion: number
  readonly templating: {
    readonly list: ReadonlyArray<{ readonly name: string; readonly type: string; readonly definition?: string }>
  }
  readonly panels: ReadonlyArray<Panel>
}

export const rules: Rules = parse(read("alerts.yaml"))
export const alerts: ReadonlyArray<Alert> = rules.groups.flatMap((group) => group.rules)
export const dashboard: Dashboard = JSON.parse(read("dashboard.json"))

/** Runbooks by alert name. */
export const runbooks: ReadonlyMap<string, string> = new Map(
  readdirSync(new URL("runbooks/", folder)).map((file) => [file.replace(/\.md$/u, ""), read(`runbooks/${file}`)])
)

export const guide = read("README.md")

/** Every Prometheus expression, with the alert or panel that uses it. */
export const expressions: ReadonlyArray<{ readonly where: string; readonly expr: string }> = [
  ...alerts.map(({ alert, expr }) => ({ where: `alert ${alert}`, expr })),
  ...dashboard.panels.flatMap(({ targets = [], title }) =>
    targets.map(({ expr }) => ({ where: `panel ${title}`, expr }))
  )
]
