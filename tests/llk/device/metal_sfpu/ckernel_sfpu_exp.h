// LLK's tests include this header of another repository but use nothing of it.
#pragma once
