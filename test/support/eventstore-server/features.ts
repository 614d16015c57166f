import features from "@eventstore/db-client/generated/serverfeatures_pb.js"
import type { SupportedMethods } from "@eventstore/db-client/generated/serverfeatures_pb.js"
import type { Empty } from "@eventstore/db-client/generated/shared_pb.js"
import type { handleUnaryCall } from "@grpc/grpc-js"

/** GetSupportedMethods: the version and the features for clients. */
export const makeFeatures = (version: string): handleUnaryCall<Empty, SupportedMethods> => (_call, answer) => {
  const supported = new features.SupportedMethods()
  supported.setEventStoreServerVersion(version)
  const methods: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
    ["read", ["position", "events"]],
    ["append", []],
    ["batchappend", ["deadline_duration"]]
  ]
  for (const [name, featureNames] of methods) {
    const method = new features.SupportedMethod()
    method.setServiceName("event_store.client.streams.streams")
    method.setMethodName(name)
    method.setFeaturesList([...featureNames])
    supported.addMethods(method)
  }
  answer(null, supported)
}
