// EXPECT that a call throws InputError with a message that holds some text.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "host/error.hpp"

namespace bhemu::test {

template <class F>
void expect_input_error(F call, const std::string& wanted, const std::string& place = "") {
  try {
    call();
    ADD_FAILURE() << "no error; wanted: " << wanted;
  } catch (const host::InputError& error) {
    EXPECT_NE(error.message().find(wanted), std::string::npos) << error.what();
    EXPECT_TRUE(place.empty() || error.place() == place) << error.what();
  }
}

}  // namespace bhemu::test
