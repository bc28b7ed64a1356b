//===- S3SignatureTest.cpp - requests that S3-compatible servers accept ---===//
#include "S3Signature.h"
#include "gtest/gtest.h"

using namespace tessera;

/// The example of Amazon's documentation ("Signature calculations for the Authorization header:
/// GET Object"), without its header Range; botocore 1.44 computes the same.
TEST(S3Signature, IsThatOfOtherClients) {
  S3Credentials credentials{"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
                            "us-east-1"};
  auto headers = signS3Request({"GET", "examplebucket.s3.amazonaws.com", "/test.txt", ""},
                               credentials, 1369353600);
  ASSERT_EQ(headers.size(), 3u);
  EXPECT_EQ(headers[0].first, "x-amz-content-sha256");
  EXPECT_EQ(headers[0].second, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(headers[1].second, "20130524T000000Z");
  EXPECT_EQ(headers[2].second,
            "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "
            "SignedHeaders=host;x-amz-content-sha256;x-amz-date, "
            "Signature=df548e2ce037944d03f3e68682813b093763996d597cf890ca3d9037fd231eb4");
  credentials.token = "token";
  headers = signS3Request({"PUT", "localhost:9000", encodePath("/bucket/a b/k\xc3\xa4=+~"), "body"},
                          credentials, 1369353600);
  ASSERT_EQ(headers.size(), 4u);
  EXPECT_EQ(headers[2].second, "token");
  EXPECT_EQ(headers[3].second.substr(headers[3].second.rfind('=') + 1),
            "fff00e89573fdfe5b585e40732358d11fb1c89f8f983076119617af1ac5777c3");
}

TEST(S3Signature, Paths) {
  EXPECT_EQ(encodePath("/bucket/kernel/0a-Z_.~"), "/bucket/kernel/0a-Z_.~");
  EXPECT_EQ(encodePath("/a b%\xc3\xa4"), "/a%20b%25%C3%A4");
}
