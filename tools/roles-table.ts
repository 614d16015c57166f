/**
 * Writes the table of roles and operations into docs/security.md from domain/permissions.ts. With `--check`
 * it writes nothing, and fails when the table is stale.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { type Act, acts, isAllowed } from "../domain/permissions.ts"
import { OperatorRole } from "../domain/operators.ts"
import { adminOperations } from "../infrastructure/web/api/operations/admin.ts"

const file = fileURLToPath(new URL("../docs/security.md", import.meta.url))

const BEGIN = "<!-- Written by `npm run docs:roles` from domain/permissions.ts. Do not edit this table. -->"
const END = "<!-- End of the table of roles. -->"

/** What the acts are that are not an operation of the admin API. */
const furtherActs: Readonly<Record<Exclude<Act, keyof typeof adminOperations>, string>> = {
  registerBankAccount: '"Register an account" of the console',
  revealPersonalData: "`GET /admin/v1/trail` and `GET /admin/v1/trail/export` with `reveal=true`",
  endAllSessions: '"Sign out everywhere" of the console'
}

const isOperation = (act: Act): act is keyof typeof adminOperations => Object.hasOwn(adminOperations, act)

const requestOf = (act: Act): string => {
  if (!isOperation(act)) return furtherActs[act]
  const { method, path } = adminOperations[act]
  return `\`${method} ${path}\``
}

const row = (act: Act): string =>
  `| \`${act}\` | ${requestOf(act)} | ${
    OperatorRole.literals.map((role) => isAllowed(role, act) ? "yes" : "–").join(" | ")
  } |`

const table = [
  BEGIN,
  "",
  `| Act | Request | ${OperatorRole.literals.join(" | ")} |`,
  `|---|---|${OperatorRole.literals.map(() => "---|").join("")}`,
  ...acts.map(row),
  "",
  END
].join("\n")

const page = readFileSync(file, "utf8")
const [before = "", rest = ""] = page.split(BEGIN)
const after = rest.split(END)[1] ?? ""
const written = `${before}${table}${after}`

if (!page.includes(BEGIN) || !page.includes(END)) {
  process.stdout.write("docs/security.md has no place for the table of roles\n")
  process.exitCode = 1
} else if (!process.argv.includes("--check")) {
  writeFileSync(file, written)
} else if (page !== written) {
  process.stdout.write("docs/security.md has a stale table of roles: run npm run docs:roles\n")
  process.exitCode = 1
} else {
  process.stdout.write("docs/security.md states the roles of the code\n")
}
