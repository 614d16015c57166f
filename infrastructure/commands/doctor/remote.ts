import { type Finding, findingsAbout, when } from "./finding.ts"

const aboutGateways = findingsAbout("gateways")
const aboutReadModels = findingsAbout("read models")
const aboutVersions = findingsAbout("versions")

/** A sample of the Prometheus text format. */
interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

const labelsIn = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/gu)].map(([, name = "", value = ""]) => [name, value])
  )

/** The samples of `GET /metrics`. */
export const samplesIn = (text: string): ReadonlyArray<Sample> =>
  text.split("\n").flatMap((line) => {
    const [, name, labels = "", value] = /^(\w+)(?:\{(.*)\})? (\S+)/u.exec(line) ?? []
    return name === undefined || line.startsWith("#") ? [] : [{ name, labels: labelsIn(labels), value: Number(value) }]
  })

/** What a process says of itself in its metrics: its version, runtime and roles. */
export const infoOf = (samples: ReadonlyArray<Sample>) => samples.find(({ name }) => name === "sliptrail_info")?.labels

/** What the metrics of a process say of its gateways. */
export const gatewayFindings = (samples: ReadonlyArray<Sample>): ReadonlyArray<Finding> => {
  const circuits = samples.filter(({ name }) => name === "sliptrail_gateway_circuit_open")
  const refused = samples.filter(({ name, value }) => name === "sliptrail_gateway_refused" && value > 0)
  const names = circuits.map(({ labels }) => labels["gateway"] ?? "")
  const open = circuits.filter(({ value }) => value > 0)
  if (names.length === 0) return [aboutGateways.ok("this process asks no gateway")]
  const faults = [
    ...refused.map(({ labels }) =>
      aboutGateways.fail(
        `${labels["gateway"]} refuses the account: ${labels["cause"]}`,
        "run sliptrail doctor on the machine of the service, which asks the gateway and says what to do"
      )
    ),
    ...open.map(({ labels }) =>
      aboutGateways.warn(
        `the circuit of ${labels["gateway"]} is open: its last questions failed`,
        "it is tested again every ten seconds; the log of the service has the reasons"
      )
    )
  ]
  return faults.length > 0 ? faults : [aboutGateways.ok(`${names.join(", ")}: no open circuit, no refused account`)]
}

interface ModelPosition {
  readonly name: string
  readonly lag: number
  readonly isAhead: boolean
}

/** Whether the read models follow the log. */
export const projectionFindings = (positions: ReadonlyArray<ModelPosition>): ReadonlyArray<Finding> => {
  const faults = positions.flatMap(({ isAhead, lag, name }) => {
    if (isAhead) {
      return [aboutReadModels.fail(`${name} is ahead of the log: it belongs to another one`, `rebuild ${name}`)]
    }
    return when(
      lag > 0,
      aboutReadModels.warn(`${name} is ${lag} behind the end of the log`, "check that a projector runs, and look again")
    )
  })
  return faults.length > 0 ? faults : [aboutReadModels.ok(`${positions.length} read models are up to date`)]
}

/** Compares the version of a service with that of the command line. */
export const versionFinding = (service: string | undefined, own: string): Finding => {
  if (service === undefined) {
    return aboutVersions.warn(
      "the service says no version: its metrics are on another listener",
      "use the URL of ADMIN_PORT"
    )
  }
  return service === own
    ? aboutVersions.ok(`the service and the command line have the version ${own}`)
    : aboutVersions.warn(
      `the service has version ${service}, the command line ${own}`,
      "use the command line of the service's version: others may lack fields or operations"
    )
}
