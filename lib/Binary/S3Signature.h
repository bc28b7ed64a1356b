//===- S3Signature.h - requests that S3-compatible servers accept ---------===//
// AWS Signature Version 4 ("Signing AWS API requests"): an HMAC over the request, with a key
// that is made from the secret, the day, the region and the service.
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include <ctime>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

struct S3Credentials {
  std::string accessKey, secret, region = "us-east-1";
  std::string token = {}; // of temporary credentials; may be empty
};

struct S3Request {
  llvm::StringRef method; // "GET"
  llvm::StringRef host;   // as the Host header says it
  llvm::StringRef path;   // with the leading slash, encoded as encodePath does
  llvm::StringRef body;
};

/// The headers that sign the request at this time, without Host.
std::vector<std::pair<std::string, std::string>>
signS3Request(const S3Request &request, const S3Credentials &credentials, std::time_t now);

/// Each byte but letters, digits and "-._~/" as %XX.
std::string encodePath(llvm::StringRef path);

} // namespace tessera
